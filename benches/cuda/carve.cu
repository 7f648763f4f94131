// The image of a disk, searched for signatures of files: the work of `Chunk::scan` of `benches/gpu`, with the signatures in
// global memory, in constant memory, and in the code.

#include <cstring>
#include <utility>

#include "common.cuh"

namespace {

constexpr unsigned BLOCK = 256;
constexpr unsigned BYTES = 16;        // of a chunk
constexpr unsigned WINDOWS = BYTES + 12;
constexpr unsigned SPACING = 256;     // a header begins in each of so many chunks
constexpr unsigned MOST = 64;         // signatures in constant memory

struct Signature {
    std::uint32_t value[4];
    std::uint32_t mask[4];
};

// The first of `examples/carve/src/signatures.csv`.
constexpr Signature TABLE[] = {
    {{0x00ffd8ff, 0x00000000, 0x00000000, 0x00000000}, {0x00ffffff, 0x00000000, 0x00000000, 0x00000000}},  // JPEG
    {{0x474e5089, 0x0a1a0a0d, 0x00000000, 0x00000000}, {0xffffffff, 0xffffffff, 0x00000000, 0x00000000}},  // PNG
    {{0x38464947, 0x00006137, 0x00000000, 0x00000000}, {0xffffffff, 0x0000ffff, 0x00000000, 0x00000000}},  // GIF87a
    {{0x38464947, 0x00006139, 0x00000000, 0x00000000}, {0xffffffff, 0x0000ffff, 0x00000000, 0x00000000}},  // GIF89a
    {{0x46445025, 0x0000002d, 0x00000000, 0x00000000}, {0xffffffff, 0x000000ff, 0x00000000, 0x00000000}},  // PDF
    {{0x04034b50, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // ZIP
    {{0x06054b50, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // ZIP (empty)
    {{0x08074b50, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // ZIP (spanned)
    {{0x21726152, 0x0000071a, 0x00000000, 0x00000000}, {0xffffffff, 0x00ffffff, 0x00000000, 0x00000000}},  // RAR 4
    {{0x21726152, 0x0001071a, 0x00000000, 0x00000000}, {0xffffffff, 0xffffffff, 0x00000000, 0x00000000}},  // RAR 5
    {{0xafbc7a37, 0x00001c27, 0x00000000, 0x00000000}, {0xffffffff, 0x0000ffff, 0x00000000, 0x00000000}},  // 7z
    {{0x00088b1f, 0x00000000, 0x00000000, 0x00000000}, {0x00ffffff, 0x00000000, 0x00000000, 0x00000000}},  // gzip
    {{0x00685a42, 0x26594131, 0x00005953, 0x00000000}, {0x00ffffff, 0xffffffff, 0x0000ffff, 0x00000000}},  // bzip2
    {{0x587a37fd, 0x0000005a, 0x00000000, 0x00000000}, {0xffffffff, 0x0000ffff, 0x00000000, 0x00000000}},  // xz
    {{0xfd2fb528, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // Zstandard
    {{0x184d2204, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // LZ4
    {{0x61747375, 0x00000072, 0x00000000, 0x00000000}, {0xffffffff, 0x000000ff, 0x00000000, 0x00000000}},  // tar (ustar)
    {{0x464c457f, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // ELF
    {{0x00005a4d, 0x00000000, 0x00000000, 0x00000000}, {0xff00ffff, 0xffffff00, 0x00000000, 0x00000000}},  // PE (MZ)
    {{0xbebafeca, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // Java class
    {{0x694c5153, 0x66206574, 0x616d726f, 0x00332074}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},  // SQLite 3
    {{0x70797466, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // MP4
    {{0x46464952, 0x00000000, 0x45564157, 0x00000000}, {0xffffffff, 0x00000000, 0xffffffff, 0x00000000}},  // WAV
    {{0x46464952, 0x00000000, 0x20495641, 0x00000000}, {0xffffffff, 0x00000000, 0xffffffff, 0x00000000}},  // AVI
    {{0x46464952, 0x00000000, 0x50424557, 0x00000000}, {0xffffffff, 0x00000000, 0xffffffff, 0x00000000}},  // WebP
    {{0x5367674f, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // Ogg
    {{0x43614c66, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // FLAC
    {{0x00334449, 0x00000000, 0x00000000, 0x00000000}, {0x00ffffff, 0x00000000, 0x00000000, 0x00000000}},  // MP3 (ID3)
    {{0xa3df451a, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // Matroska
    {{0x002a4949, 0x00000000, 0x00000000, 0x00000000}, {0xffffffff, 0x00000000, 0x00000000, 0x00000000}},  // TIFF (little-endian)
};
constexpr unsigned COUNT = sizeof(TABLE) / sizeof(TABLE[0]);

__constant__ Signature constant_signatures[MOST];

// ---------------------------------------------------------------------------------------------------
// Chunks of noise, with headers.

__device__ unsigned __int128 number(const std::uint32_t (&words)[4])
{
    using Number = unsigned __int128;
    return Number{words[0]} | Number{words[1]} << 32 | Number{words[2]} << 64 | Number{words[3]} << 96;
}

// The part of a header that is in a chunk, if the header begins `from` bytes behind the start of the first.
__device__ unsigned __int128 part(const std::uint32_t (&words)[4], unsigned from, bool is_second)
{
    const unsigned __int128 header = number(words);
    return is_second ? (header >> 1) >> (127 - 8 * from) : header << (8 * from);
}

__global__ void start_chunks(uint4* chunks, unsigned n, const Signature* signatures, unsigned count)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    std::uint32_t words[4];
    for (unsigned k = 0; k < 4; ++k) words[k] = hash(4 * i + k);
    const unsigned header = i / SPACING, chunk = i % SPACING;
    if (chunk <= 1) {
        const Signature& signature = signatures[header % count];
        const unsigned from = hash(header) % BYTES;
        const unsigned __int128 value = part(signature.value, from, chunk == 1);
        const unsigned __int128 mask = part(signature.mask, from, chunk == 1);
        for (unsigned k = 0; k < 4; ++k)
            words[k] = (words[k] & ~static_cast<std::uint32_t>(mask >> (32 * k)))
                | static_cast<std::uint32_t>(value >> (32 * k));
    }
    chunks[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

// ---------------------------------------------------------------------------------------------------
// The search.

// The bytes of a chunk at which a signature is, a bit for each. Nearly always the first four bytes differ at all of them.
__device__ __forceinline__ unsigned matches(const std::uint32_t (&windows)[WINDOWS], const Signature& signature)
{
    bool may = false;
#pragma unroll
    for (unsigned i = 0; i < BYTES; ++i) may |= (windows[i] & signature.mask[0]) == signature.value[0];
    if (!may) return 0;
    unsigned found = 0;
#pragma unroll
    for (unsigned i = 0; i < BYTES; ++i) {
        std::uint32_t differs = 0;
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) differs |= (windows[i + 4 * k] & signature.mask[k]) ^ signature.value[k];
        found |= static_cast<unsigned>(differs == 0) << i;
    }
    return found;
}

struct InGlobal {
    const Signature* __restrict__ signatures;
    unsigned count;
    __device__ unsigned search(const std::uint32_t (&windows)[WINDOWS]) const
    {
        unsigned found = 0;
#pragma unroll 1
        for (unsigned s = 0; s < count; ++s) found |= matches(windows, signatures[s]);
        return found;
    }
};

struct InConstant {
    unsigned count;
    __device__ unsigned search(const std::uint32_t (&windows)[WINDOWS]) const
    {
        unsigned found = 0;
#pragma unroll 1
        for (unsigned s = 0; s < count; ++s) found |= matches(windows, constant_signatures[s]);
        return found;
    }
};

template <unsigned S>
__device__ __forceinline__ unsigned matches_of_table(const std::uint32_t (&windows)[WINDOWS])
{
    constexpr Signature signature = TABLE[S];
    return matches(windows, signature);
}

template <unsigned... S>
__device__ __forceinline__ unsigned search_table(const std::uint32_t (&windows)[WINDOWS],
                                                 std::integer_sequence<unsigned, S...>)
{
    return (0u | ... | matches_of_table<S>(windows));
}

struct InCode {
    __device__ unsigned search(const std::uint32_t (&windows)[WINDOWS]) const
    {
        return search_table(windows, std::make_integer_sequence<unsigned, COUNT>{});
    }
};

template <class Signatures>
__global__ void scan(const uint4* __restrict__ chunks, std::uint16_t* hits, unsigned n, Signatures signatures)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint4 own = chunks[i];
    const uint4 next = i + 1 < n ? chunks[i + 1] : make_uint4(0, 0, 0, 0);
    const std::uint32_t words[8] = {own.x, own.y, own.z, own.w, next.x, next.y, next.z, next.w};
    std::uint32_t windows[WINDOWS];
#pragma unroll
    for (unsigned b = 0; b < WINDOWS; ++b) windows[b] = __funnelshift_r(words[b / 4], words[b / 4 + 1], b % 4 * 8);
    const unsigned found = signatures.search(windows);
    if (hits[i] != found) hits[i] = static_cast<std::uint16_t>(found);
}

__global__ void count_hits(const std::uint16_t* hits, unsigned n, unsigned* total)
{
    unsigned count = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count += __popc(hits[i]);
    for (int width = 16; width > 0; width /= 2) count += __shfl_down_sync(~0u, count, width);
    if (threadIdx.x % 32 == 0) atomicAdd(total, count);
}

// Makes the image, and searches it once for the number of headers, which is the checksum, and then for the time.
template <class Make>
double searched(std::uint64_t count, const std::uint32_t* words, std::uint32_t number, Make make)
{
    const unsigned n = checked_count(count);
    if (number == 0 || number > MOST) throw Failure{cudaErrorInvalidValue};
    std::vector<Signature> signatures(number);
    std::memcpy(signatures.data(), words, number * sizeof(Signature));
    const Buffer<Signature> in_global(signatures);
    check(cudaMemcpyToSymbol(constant_signatures, signatures.data(), number * sizeof(Signature)));
    const Buffer<uint4> chunks(n);
    const Buffer<std::uint16_t> hits(n);
    const Buffer<unsigned> total(1);
    check(cudaMemset(hits.data(), 0, hits.bytes()));
    check(cudaMemset(total.data(), 0, total.bytes()));
    start_chunks<<<blocks_for(n, BLOCK), BLOCK>>>(chunks.data(), n, in_global.data(), number);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    const auto where = make(in_global.data(), signatures);
    const auto launch = [&](cudaStream_t stream) {
        scan<<<blocks_for(n, BLOCK), BLOCK, 0, stream>>>(chunks.data(), hits.data(), n, where);
    };
    const Stream stream;
    launch(stream);
    count_hits<<<1024, BLOCK, 0, stream>>>(hits.data(), n, total.data());
    check(cudaGetLastError());
    stream.synchronize();
    unsigned found = 0;
    check(cudaMemcpy(&found, total.data(), sizeof(found), cudaMemcpyDeviceToHost));
    last_checksum_value = found;
    return median_launch_ns(stream, launch);
}

}  // namespace

EXPORT double carve_global(std::uint64_t chunks, const std::uint32_t* signatures, std::uint32_t count)
{
    return guarded([&] {
        return searched(chunks, signatures, count, [&](const Signature* in_global, const auto&) {
            return InGlobal{in_global, count};
        });
    });
}

EXPORT double carve_constant(std::uint64_t chunks, const std::uint32_t* signatures, std::uint32_t count)
{
    return guarded([&] {
        return searched(chunks, signatures, count, [&](const Signature*, const auto&) { return InConstant{count}; });
    });
}

// The signatures have to be those of the code.
EXPORT double carve_code(std::uint64_t chunks, const std::uint32_t* signatures, std::uint32_t count)
{
    return guarded([&] {
        return searched(chunks, signatures, count, [](const Signature*, const std::vector<Signature>& wanted) {
            if (wanted.size() != COUNT || std::memcmp(wanted.data(), TABLE, sizeof(TABLE)) != 0)
                throw Failure{cudaErrorInvalidValue};
            return InCode{};
        });
    });
}
