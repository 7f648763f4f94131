// What the baselines share: errors, device memory, timing, checksums and initial values.
//
// The library is loaded by a program that may have a CUDA context of its own; the runtime then works
// in the context that is current. Nothing here outlives a call except the last checksum.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <cuda_runtime.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

// ---------------------------------------------------------------------------------------------------
// Errors. Inside the library they are exceptions; no exception leaves an exported function.

struct Failure {
    cudaError_t code;
};

inline void check(cudaError_t code)
{
    if (code != cudaSuccess) throw Failure{code};
}

// Runs an exported function's body: its time, or minus the error's number.
template <class Body>
double guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const Failure& failure) {
        cudaGetLastError();  // the next call starts without this one's error
        return -static_cast<double>(failure.code);
    } catch (const std::bad_alloc&) {
        return -static_cast<double>(cudaErrorMemoryAllocation);
    }
}

// Kernels count in 32 bits; half of that range leaves a grid-stride loop room to step past the end.
inline unsigned checked_count(std::uint64_t n)
{
    if (n == 0 || n > (std::uint64_t{1} << 31)) throw Failure{cudaErrorInvalidValue};
    return static_cast<unsigned>(n);
}

inline unsigned blocks_for(unsigned n, unsigned block)
{
    return (n - 1) / block + 1;
}

// ---------------------------------------------------------------------------------------------------
// Device memory, by cudaMalloc.

template <class T>
class Buffer {
public:
    // A null pointer where there is nothing to store.
    explicit Buffer(std::size_t count) : count_(count)
    {
        if (count > 0) check(cudaMalloc(&data_, count * sizeof(T)));
    }

    explicit Buffer(const std::vector<T>& values) : Buffer(values.size())
    {
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    ~Buffer() { cudaFree(data_); }

    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T* data() const { return data_; }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

private:
    T* data_ = nullptr;
    std::size_t count_;
};

// ---------------------------------------------------------------------------------------------------
// Initial values: exact in binary, so that every program gets the same bits.

// The finaliser of MurmurHash3: spreads consecutive numbers over 32 bits.
__host__ __device__ inline std::uint32_t hash(std::uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return x;
}

// A number in [0, 1) with 24 significant bits: the same in f32 and f64.
template <class T>
__host__ __device__ T unit(std::uint32_t x)
{
    return static_cast<T>(hash(x) >> 8) * static_cast<T>(1.0 / (1 << 24));
}

// ---------------------------------------------------------------------------------------------------
// Checksums: the sum of |value| * (1 + i % 7) over the objects i, in f64. Weighted, so that results that
// landed at the wrong object show; of magnitudes, so that opposite forces do not cancel out.

inline double last_checksum_value = 0.0;

constexpr unsigned CHECKSUM_BLOCK = 256;

__device__ inline double checksum_term(double value, unsigned i)
{
    return fabs(value) * (1 + i % 7);
}

// Adds the terms of one block's threads to the total; all threads of the block call it.
__device__ inline void checksum_add(double term, double* total)
{
    for (int distance = 16; distance > 0; distance /= 2) term += __shfl_down_sync(~0u, term, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(total, term);
}

template <class T>
__global__ void checksum_column(const T* values, unsigned n, unsigned stride, double* total)
{
    double term = 0.0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        term += checksum_term(static_cast<double>(values[std::size_t{i} * stride]), i);
    checksum_add(term, total);
}

class Checksum {
public:
    Checksum() : total_(1) { check(cudaMemset(total_.data(), 0, sizeof(double))); }

    // Adds one field of n objects that lie `stride` elements apart.
    template <class T>
    void add(const T* values, unsigned n, unsigned stride = 1)
    {
        const unsigned grid = std::min(blocks_for(n, CHECKSUM_BLOCK), 4096u);
        checksum_column<<<grid, CHECKSUM_BLOCK>>>(values, n, stride, total_.data());
        check(cudaGetLastError());
    }

    double* total() const { return total_.data(); }

    void publish() const
    {
        check(cudaMemcpy(&last_checksum_value, total_.data(), sizeof(double), cudaMemcpyDeviceToHost));
    }

private:
    Buffer<double> total_;
};

// ---------------------------------------------------------------------------------------------------
// Timing.

class Stream {
public:
    Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    operator cudaStream_t() const { return stream_; }
    void synchronize() const { check(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    Event() { check(cudaEventCreate(&event_)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream)); }
    double milliseconds_since(const Event& start) const
    {
        float elapsed = 0.0f;
        check(cudaEventSynchronize(event_));
        check(cudaEventElapsedTime(&elapsed, start.event_, event_));
        return elapsed;
    }

private:
    cudaEvent_t event_ = nullptr;
};

constexpr int SAMPLES = 11;  // odd: the median is one of them

// The median of SAMPLES calls of `sample`.
template <class Sample>
double median_of(Sample sample)
{
    std::array<double, SAMPLES> times;
    for (double& time : times) time = sample();
    std::nth_element(times.begin(), times.begin() + SAMPLES / 2, times.end());
    return times[SAMPLES / 2];
}

// The median time of one `launch(stream)` on the device, in nanoseconds.
//
// A sample is as many launches in a row as take SAMPLE_MS, at least one: events resolve half a
// microsecond, and the gap between two launches belongs to what a user sees.
template <class Launch>
double median_launch_ns(const Stream& stream, Launch launch)
{
    constexpr double SAMPLE_MS = 3.0;
    constexpr double WARM_UP_MS = 30.0;  // until the clocks are up

    const Event start, stop;
    auto milliseconds = [&](unsigned launches) {
        start.record(stream);
        for (unsigned i = 0; i < launches; ++i) launch(stream);
        stop.record(stream);
        check(cudaGetLastError());
        return stop.milliseconds_since(start);
    };

    // Twice as many each time; the last run says how long one launch takes.
    unsigned launches = 1;
    double elapsed = milliseconds(launches);
    for (double total = elapsed; total < WARM_UP_MS; total += elapsed) {
        if (elapsed < SAMPLE_MS) launches *= 2;
        elapsed = milliseconds(launches);
    }
    const double one = elapsed / launches;
    const unsigned repeats = std::max(1u, static_cast<unsigned>(SAMPLE_MS / one) + 1);
    return median_of([&] { return milliseconds(repeats) * 1e6 / repeats; });
}

// Launches once on fresh data, takes the checksum of the result, then times. `sum` adds the columns
// that the launch wrote to the Checksum it is given.
template <class Launch, class Sum>
double measure(Launch launch, Sum sum)
{
    const Stream stream;
    check(cudaDeviceSynchronize());  // the initial values are there
    launch(stream);
    check(cudaGetLastError());
    stream.synchronize();

    Checksum checksum;
    sum(checksum);
    checksum.publish();
    return median_launch_ns(stream, launch);
}

// The median wall-clock time on the host of one `step()`, in nanoseconds: `steps` in a row, then `finish`.
template <class Step, class Finish>
double median_host_ns(unsigned steps, Step step, Finish finish)
{
    auto sample = [&] {
        const auto start = std::chrono::steady_clock::now();
        for (unsigned i = 0; i < steps; ++i) step();
        finish();
        const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
        return elapsed.count() / steps;
    };
    sample();
    return median_of(sample);
}
