// Reductions of one column by CUB, the library that CUDA programmers use for them.

#include <cub/device/device_reduce.cuh>

#include "common.cuh"

namespace {

template <class T>
__global__ void init_values(T* values, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = unit<T>(i + 1);
}

struct Sum {
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, unsigned n, cudaStream_t stream)
    {
        return cub::DeviceReduce::Sum(scratch, bytes, in, out, n, stream);
    }
};

struct Min {
    template <class T>
    static cudaError_t run(void* scratch, std::size_t& bytes, const T* in, T* out, unsigned n, cudaStream_t stream)
    {
        return cub::DeviceReduce::Min(scratch, bytes, in, out, n, stream);
    }
};

// Memory of the host that the device writes to directly.
template <class T>
class HostValue {
public:
    HostValue() { check(cudaMallocHost(&value_, sizeof(T))); }
    ~HostValue() { cudaFreeHost(value_); }
    HostValue(const HostValue&) = delete;
    HostValue& operator=(const HostValue&) = delete;

    T* data() const { return value_; }

private:
    T* value_ = nullptr;
};

enum class Calls {
    InARow,      // one after another, without a wait
    Alone,       // each by itself, as the device measures it
    WithResult,  // each until the host has its result, as the host measures it
};

template <class Operation, class T>
double time_reduce(std::uint64_t count, Calls calls)
{
    return guarded([&] {
        const unsigned n = checked_count(count);
        const Buffer<T> values(n), result(1);
        const HostValue<T> on_host;
        init_values<<<blocks_for(n, 256), 256>>>(values.data(), n);

        // A call without scratch memory says how much it wants.
        std::size_t bytes = 0;
        check(Operation::run(nullptr, bytes, values.data(), result.data(), n, nullptr));
        const Buffer<char> scratch(std::max<std::size_t>(bytes, 1));
        auto run = [&](T* to, cudaStream_t s) { check(Operation::run(scratch.data(), bytes, values.data(), to, n, s)); };
        const double in_a_row = measure([&](cudaStream_t s) { run(result.data(), s); },
                                        [&](Checksum& sum) { sum.add(result.data(), 1); });
        const Stream stream;
        const Event start, stop;
        const unsigned steps = n > 1u << 24 ? 20 : 200;
        switch (calls) {
        case Calls::InARow: return in_a_row;
        case Calls::Alone:
            return median_of([&] {
                double milliseconds = 0;
                for (unsigned i = 0; i < steps; ++i) {
                    start.record(stream);
                    run(result.data(), stream);
                    stop.record(stream);
                    milliseconds += stop.milliseconds_since(start);
                }
                return milliseconds * 1e6 / steps;
            });
        default:
            return median_host_ns(
                steps,
                [&] {
                    run(on_host.data(), stream);
                    stream.synchronize();
                },
                [] {});
        }
    });
}

}  // namespace

#define REDUCTION(name, operation, type)                                                                             \
    EXPORT double reduce_##name(std::uint64_t n) { return time_reduce<operation, type>(n, Calls::InARow); }         \
    EXPORT double reduce_##name##_alone(std::uint64_t n) { return time_reduce<operation, type>(n, Calls::Alone); }  \
    EXPORT double reduce_##name##_result(std::uint64_t n) { return time_reduce<operation, type>(n, Calls::WithResult); }

REDUCTION(sum_f32, Sum, float)
REDUCTION(sum_f64, Sum, double)
REDUCTION(min_f32, Min, float)
REDUCTION(min_f64, Min, double)
