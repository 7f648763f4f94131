// What the models share: Ikra's random numbers, and how a model is timed. These files are compiled without fused
// multiply-add, as Ikra's models are, so that results have the same bits.
//
// Every export takes the model's columns in host memory, runs 10 + 10 * `batches` steps, of which the first ten are not
// timed, writes what the model changes back, and returns the median time of a batch, per step, in nanoseconds.
#pragma once

#include "../common.cuh"

namespace models {

constexpr unsigned STEPS = 10;  // per batch
constexpr unsigned NONE = ~0u;  // no link

// Philox 4x32 with ten rounds, as `ikra::rng::Random` draws from it.
class Random {
public:
    __device__ __forceinline__ Random(std::uint64_t seed, unsigned object, unsigned step)
        : seed_(seed), object_(object), step_(step)
    {
    }

    __device__ __forceinline__ unsigned next()
    {
        if (used_ == 4) {
            fill();
            used_ = 0;
        }
        const unsigned number = used_ == 0 ? block_[0] : used_ == 1 ? block_[1] : used_ == 2 ? block_[2] : block_[3];
        ++used_;
        return number;
    }

    __device__ __forceinline__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
    __device__ __forceinline__ unsigned below(unsigned end) { return __umulhi(next(), end); }
    __device__ __forceinline__ bool chance(float probability) { return uniform() < probability; }

private:
    __device__ __forceinline__ void fill()
    {
        unsigned c0 = blocks_++, c1 = 0, c2 = object_, c3 = step_;
        unsigned k0 = static_cast<unsigned>(seed_), k1 = static_cast<unsigned>(seed_ >> 32);
#pragma unroll
        for (int round = 0; round < 10; ++round) {
            const unsigned high_a = __umulhi(0xd2511f53u, c0), low_a = 0xd2511f53u * c0;
            const unsigned high_b = __umulhi(0xcd9e8d57u, c2), low_b = 0xcd9e8d57u * c2;
            c0 = high_b ^ c1 ^ k0;
            c1 = low_b;
            c2 = high_a ^ c3 ^ k1;
            c3 = low_a;
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        block_[0] = c0;
        block_[1] = c1;
        block_[2] = c2;
        block_[3] = c3;
    }

    std::uint64_t seed_;
    unsigned object_, step_, blocks_ = 0, used_ = 4;
    unsigned block_[4];
};

// A column that starts as a copy of host memory.
template <class T>
class Column : public Buffer<T> {
public:
    Column(const T* values, std::size_t count) : Buffer<T>(count)
    {
        if (count > 0) check(cudaMemcpy(this->data(), values, count * sizeof(T), cudaMemcpyHostToDevice));
    }

    void read(T* to) const { check(cudaMemcpy(to, this->data(), this->bytes(), cudaMemcpyDeviceToHost)); }
};

// A column of zeros.
template <class T>
class Zeros : public Buffer<T> {
public:
    explicit Zeros(std::size_t count) : Buffer<T>(count) { check(cudaMemset(this->data(), 0, this->bytes())); }
};

// `batch(step)` launches ten steps, of which `step` is the first.
template <class Batch>
double median_step_ns(unsigned batches, const Stream& stream, Batch batch)
{
    check(cudaDeviceSynchronize());  // the columns are there
    batch(0);
    check(cudaGetLastError());
    stream.synchronize();
    const Event start, stop;
    std::vector<double> times;
    for (unsigned i = 1; i <= batches; ++i) {
        start.record(stream);
        batch(i * STEPS);
        stop.record(stream);
        check(cudaGetLastError());
        times.push_back(stop.milliseconds_since(start));
    }
    if (times.empty()) return 0.0;
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2] * 1e6 / STEPS;
}

}  // namespace models
