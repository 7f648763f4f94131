// The bandwidth that the others are compared with: a copy within the device's memory.

#include "common.cuh"

EXPORT double copy_d2d(std::uint64_t bytes)
{
    return guarded([&] {
        if (bytes == 0) throw Failure{cudaErrorInvalidValue};
        const Buffer<char> from(bytes), to(bytes);
        check(cudaMemset(from.data(), 1, bytes));
        check(cudaDeviceSynchronize());
        const Stream stream;
        return median_launch_ns(stream, [&](cudaStream_t s) {
            check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, s));
        });
    });
}
