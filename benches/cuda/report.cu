// What can be asked after a measurement.

#include "common.cuh"

// The checksum of the last measurement that takes one.
EXPORT double last_checksum()
{
    return last_checksum_value;
}

// The text for a negative result: static, null-terminated.
EXPORT const char* error_text(double result)
{
    return cudaGetErrorString(static_cast<cudaError_t>(static_cast<int>(-result)));
}
