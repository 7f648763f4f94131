// Traffic on street networks (INNER §4): what its programs by hand share.
#pragma once

#include "models/models.cuh"

using models::Column;
using models::NONE;
using models::Random;
using models::Zeros;

// Rows of numbers, one after another.
struct TrafficRows {
    const std::uint32_t* offsets;
    const std::uint32_t* values;
};

// What a run begins with, in host memory. Everything is named by its number from 0.
struct TrafficWorld {
    std::uint32_t cells, groups, lights, smart, yields, cars, phase_length;
    float randomisation;
    std::uint64_t seed;
    const std::uint8_t* limits;   // of cells
    const std::uint16_t* weights;
    const std::uint32_t* signals;  // each cell's group, or NONE
    TrafficRows outgoing, incoming, group_cells, light_groups, smart_groups, yield_groups;
    const std::uint32_t *light_phases, *light_timers, *smart_phases, *smart_timers;
    const std::uint32_t *car_cells, *car_limits;
};

// What it ends with: cell and velocity of each car, the last step in which each group was green.
struct TrafficResult {
    std::uint32_t *cells, *velocities, *green;
    std::uint64_t bytes;  // of device memory
};

namespace {

constexpr unsigned WAY_BITS = 4, MOST_WAYS = 1 << WAY_BITS;  // of a way back
constexpr unsigned WARM_UP = 72, SAMPLE = 1000;              // steps

// Which way a controller looks back: WAY_BITS for each fork, the next way by counting.
class Way {
public:
    __device__ __forceinline__ void begin() { forks_ = 0, more_ = false; }

    // The way to take at a cell with so many.
    __device__ __forceinline__ unsigned take(unsigned ways)
    {
        unsigned taken = 0;
        if (ways > 1 && forks_ < 64) {
            taken = static_cast<unsigned>(way_ >> forks_) % MOST_WAYS;
            if (taken + 1 < ways && taken + 1 < MOST_WAYS) {
                more_ = true;
                next_ = (way_ & ((std::uint64_t{1} << forks_) - 1)) | std::uint64_t{taken + 1} << forks_;
            }
            forks_ += WAY_BITS;
        }
        return taken;
    }

    // Whether there is another one.
    __device__ __forceinline__ bool advance()
    {
        way_ = next_;
        return more_;
    }

private:
    std::uint64_t way_ = 0, next_ = 0;
    unsigned forks_ = 0;
    bool more_ = false;
};

// The phase of a light in the next step. `only` is the one group with traffic, if `is_smart` and there is one.
__device__ __forceinline__ void change(unsigned& phase, unsigned& timer, unsigned phase_length, unsigned groups)
{
    if (timer >= phase_length) {
        timer = 0;
        phase = phase + 1 < groups ? phase + 1 : 0;
    }
}

__device__ __forceinline__ void change_smart(unsigned& phase, unsigned& timer, unsigned phase_length, unsigned groups,
                                             unsigned busy, unsigned only)
{
    const unsigned before = phase;
    if (busy == 1) {
        phase = only;
    } else {
        change(phase, timer, phase_length, groups);
    }
    if (phase != before) timer = 0;
    ++timer;
}

}  // namespace
