// Calling a method of objects whose class is known at run time only: C++ virtual functions, the techniques of the
// TYPEPTR paper ("Judging a type by its pointer", ASPLOS 2021), and what a CUDA programmer writes by hand for
// structures of arrays. `n` objects of `classes` classes, object i of class i mod `classes`: a warp works
// for as many classes as there are. Each object has one 32-bit field; a method adds a constant of its
// class to it, or, if `heavy`, does 64 rounds of arithmetic.

#include "common.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

namespace {

constexpr unsigned BLOCK = 256;
constexpr unsigned NONE = ~0u;
constexpr std::uint64_t MOST = std::uint64_t{1} << 25;

// ---------------------------------------------------------------------------------------------------
// The methods.

template <int C, bool HEAVY>
__device__ __forceinline__ unsigned method(unsigned value)
{
    if constexpr (HEAVY) {
        for (int turn = 0; turn < 64; ++turn) {
            value = value * (2 * C * C + 5) + (C + 3);
            value ^= value >> (C % 16 + 1);
        }
        return value;
    } else {
        return value + (C * C + 1);
    }
}

// Calls `f` with the class as a constant: a switch.
template <int K, class F>
__device__ __forceinline__ void by_class(unsigned c, F f)
{
#define CASE(C)                                                                      \
    case C:                                                                          \
        if constexpr (C < K) f(std::integral_constant<int, C>{});                    \
        break;
    switch (c) {
        CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)
        CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
        CASE(16) CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)
        CASE(24) CASE(25) CASE(26) CASE(27) CASE(28) CASE(29) CASE(30) CASE(31)
        default: __builtin_unreachable();
    }
#undef CASE
}

// The number of bits of a class's tag.
template <int K>
constexpr int TAG_BITS = K <= 1 ? 0 : K <= 2 ? 1 : K <= 4 ? 2 : K <= 8 ? 3 : K <= 16 ? 4 : 5;

__device__ __forceinline__ unsigned thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ---------------------------------------------------------------------------------------------------
// Objects with virtual functions.

struct Base {
    unsigned value;
    __device__ explicit Base(unsigned value) : value(value) {}
    virtual __device__ void tick() = 0;
};

template <int C, bool HEAVY>
struct Object : Base {
    __device__ explicit Object(unsigned value) : Base(value) {}
    __device__ void tick() override { value = method<C, HEAVY>(value); }
};

// Concord's: the class is a field.
struct Tagged {
    unsigned tag;
    unsigned value;
};

template <int K, bool HEAVY>
__global__ void make_by_new(Base** objects, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) by_class<K>(i % K, [&](auto c) { objects[i] = new Object<decltype(c)::value, HEAVY>(i); });
}

__global__ void free_objects(Base** objects, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) ::operator delete(objects[i]);
}

// The objects one after another.
template <int K, bool HEAVY>
__global__ void make_in_buffer(Base** objects, Object<0, HEAVY>* buffer, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) by_class<K>(i % K, [&](auto c) { objects[i] = new (buffer + i) Object<decltype(c)::value, HEAVY>(i); });
}

__global__ void call_virtual(Base* const* __restrict__ objects, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) objects[i]->tick();
}

__global__ void values_of_virtual(Base* const* objects, unsigned* values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) values[i] = objects[i]->value;
}

// ---------------------------------------------------------------------------------------------------
// SharedOA (TYPEPTR §4): objects of a class lie together, in regions of 4096 objects, 8192, 16384 and so on. The
// classes grow at the same pace, so that their regions alternate.

constexpr unsigned FIRST_REGION = 4096;

// Where object j of class c is, counted in objects.
template <int K>
__host__ __device__ std::size_t shared_place(unsigned j, unsigned c)
{
    std::size_t first = 0, len = FIRST_REGION;
    while (j - first >= len) {
        first += len;
        len *= 2;
    }
    return first * K + c * len + (j - first);
}

template <int K>
std::size_t shared_room(unsigned n)
{
    std::size_t room = FIRST_REGION;
    while (room * K < n) room = 2 * room + FIRST_REGION;
    return room * K;
}

template <int K, bool HEAVY>
__global__ void make_shared(Base** objects, Object<0, HEAVY>* buffer, unsigned n, bool in_pointer)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    Object<0, HEAVY>* const place = buffer + shared_place<K>(i / K, i % K);
    by_class<K>(i % K, [&](auto c) { objects[i] = new (place) Object<decltype(c)::value, HEAVY>(i); });
    if (in_pointer) {
        const auto bits = reinterpret_cast<std::uintptr_t>(objects[i]) | std::uintptr_t{i % K} << 49;
        objects[i] = reinterpret_cast<Base*>(bits);
    }
}

template <int K>
__global__ void make_tagged(Tagged** objects, Tagged* buffer, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    objects[i] = buffer + shared_place<K>(i / K, i % K);
    *objects[i] = {i % K, i};
}

// What a class's table of virtual functions has: the functions without the pointers to them.
using Tick = void (*)(Base*);

template <int C, bool HEAVY>
__device__ __noinline__ void tick(Base* object)
{
    object->value = method<C, HEAVY>(object->value);
}

template <int K, bool HEAVY>
__global__ void fill_ticks(Tick* ticks)
{
    by_class<K>(threadIdx.x, [&](auto c) { ticks[threadIdx.x] = &tick<decltype(c)::value, HEAVY>; });
}

// TypePointer (§6): the class from the pointer's top 15 bits.
__device__ __forceinline__ Base* without_tag(Base* tagged)
{
    constexpr std::uintptr_t ADDRESS = (std::uintptr_t{1} << 49) - 1;
    return reinterpret_cast<Base*>(reinterpret_cast<std::uintptr_t>(tagged) & ADDRESS);
}

__global__ void call_type_pointer(Base* const* __restrict__ objects, const Tick* __restrict__ ticks, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    Base* const tagged = objects[i];
    ticks[reinterpret_cast<std::uintptr_t>(tagged) >> 49](without_tag(tagged));
}

__global__ void values_of_type_pointer(Base* const* objects, unsigned* values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) values[i] = without_tag(objects[i])->value;
}

// COAL (§5, algorithm 1): the class by a search in a tree of ranges of addresses.
struct Range {
    std::uintptr_t start, end;
    __host__ __device__ bool has(std::uintptr_t address) const { return start <= address && address < end; }
};

struct Node {
    Range left, right;
};

struct Tree {
    const Node* nodes;      // inner ones; those below node n are 2n + 1 and 2n + 2
    const unsigned* leaves;  // their classes
    unsigned size;          // of `nodes`
};

__device__ __forceinline__ unsigned search(const Tree& tree, std::uintptr_t address)
{
    unsigned node = 0;
    while (node < tree.size) {
        const Node& at = tree.nodes[node];
        if (at.left.has(address)) {
            node = 2 * node + 1;
        } else if (at.right.has(address)) {
            node = 2 * node + 2;
        } else {
            __trap();
        }
    }
    return tree.leaves[node - tree.size];
}

__global__ void call_coal(Base* const* __restrict__ objects, Tree tree, const Tick* __restrict__ ticks, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    Base* const object = objects[i];
    ticks[search(tree, reinterpret_cast<std::uintptr_t>(object))](object);
}

// The tree of the regions that `shared_place` uses, those next to each other and of one class merged.
template <int K>
class RegionTree {
public:
    RegionTree(std::uintptr_t base, std::size_t bytes, unsigned n) : RegionTree(regions(base, bytes, n)) {}

    Tree view() const { return {nodes_.data(), leaves_.data(), static_cast<unsigned>(nodes_.size())}; }

private:
    struct Region {
        Range range;
        unsigned c;
    };

    static std::vector<Region> regions(std::uintptr_t base, std::size_t bytes, unsigned n)
    {
        std::vector<Region> regions;
        std::size_t first = 0, len = FIRST_REGION;
        for (; first * K < n; first += len, len *= 2) {
            for (unsigned c = 0; c < K; ++c) {
                const std::uintptr_t start = base + (first * K + c * len) * bytes;
                const Range range = {start, start + len * bytes};
                if (!regions.empty() && regions.back().c == c && regions.back().range.end == start) {
                    regions.back().range.end = range.end;
                } else {
                    regions.push_back({range, c});
                }
            }
        }
        return regions;
    }

    static std::vector<Node> tree(const std::vector<Region>& regions)
    {
        std::size_t leaves = 1;
        while (leaves < regions.size()) leaves *= 2;
        // What is below each node, from the leaves upwards.
        std::vector<Range> below(2 * leaves - 1, Range{~std::uintptr_t{0}, ~std::uintptr_t{0}});
        for (std::size_t i = 0; i < regions.size(); ++i) below[leaves - 1 + i] = regions[i].range;
        std::vector<Node> nodes(leaves - 1);
        for (std::size_t i = leaves - 1; i-- > 0;) {
            nodes[i] = {below[2 * i + 1], below[2 * i + 2]};
            below[i] = {nodes[i].left.start, std::max(nodes[i].left.end, nodes[i].right.end)};
            // Nothing follows the last region.
            if (nodes[i].right.start == ~std::uintptr_t{0}) below[i].end = nodes[i].left.end;
        }
        return nodes;
    }

    static std::vector<unsigned> classes(const std::vector<Region>& regions)
    {
        std::size_t leaves = 1;
        while (leaves < regions.size()) leaves *= 2;
        std::vector<unsigned> classes(leaves, 0);
        for (std::size_t i = 0; i < regions.size(); ++i) classes[i] = regions[i].c;
        return classes;
    }

    explicit RegionTree(const std::vector<Region>& regions) : nodes_(tree(regions)), leaves_(classes(regions)) {}

    Buffer<Node> nodes_;
    Buffer<unsigned> leaves_;
};

// Concord: the class from a field of the object.
template <int K, bool HEAVY>
__global__ void call_class_tag(Tagged* const* __restrict__ objects, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    Tagged* const object = objects[i];
    by_class<K>(object->tag, [&](auto c) { object->value = method<decltype(c)::value, HEAVY>(object->value); });
}

__global__ void values_of_tagged(Tagged* const* objects, unsigned* values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) values[i] = objects[i]->value;
}

// ---------------------------------------------------------------------------------------------------
// No objects. BRANCH (§8.3): the class from a register, no memory is accessed for the call.

__global__ void count_up(unsigned* values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) values[i] = i;
}

template <int K, bool HEAVY>
__global__ void call_branch(unsigned* __restrict__ values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) by_class<K>(i % K, [&](auto c) { values[i] = method<decltype(c)::value, HEAVY>(values[i]); });
}

// ---------------------------------------------------------------------------------------------------
// Columns, and links of 4 bytes with the class in the top bits.

template <int K>
struct Columns {
    unsigned* value[K];
};

template <int K>
__device__ __forceinline__ unsigned class_of(unsigned link)
{
    return K == 1 ? 0 : link >> (32 - TAG_BITS<K>) % 32;
}

template <int K>
__device__ __forceinline__ unsigned index_of(unsigned link)
{
    return K == 1 ? link : link & (~0u >> TAG_BITS<K>);
}

template <int K>
__global__ void make_columns(Columns<K> columns, unsigned* links, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    by_class<K>(i % K, [&](auto c) { columns.value[decltype(c)::value][i / K] = i; });
    links[i] = (K == 1 ? 0 : (i % K) << (32 - TAG_BITS<K>) % 32) | i / K;
}

template <int K, bool HEAVY>
__global__ void call_links(Columns<K> columns, const unsigned* __restrict__ links, unsigned n)
{
    const unsigned i = thread_index();
    if (i >= n) return;
    const unsigned link = links[i];
    if (link == NONE) return;
    const unsigned j = index_of<K>(link);
    by_class<K>(class_of<K>(link), [&](auto c) {
        unsigned* const value = columns.value[decltype(c)::value] + j;
        *value = method<decltype(c)::value, HEAVY>(*value);
    });
}

// All objects, class by class: a launch for each class.
template <int C, bool HEAVY>
__global__ void call_class(unsigned* __restrict__ values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) values[i] = method<C, HEAVY>(values[i]);
}

// The same in one launch. Class c has the blocks from `first[c]` on.
template <int K>
struct Parts {
    unsigned first[K + 1];
    unsigned count[K];
};

template <int K, bool HEAVY>
__global__ void call_parts(Columns<K> columns, Parts<K> parts)
{
    unsigned c = 0;
#pragma unroll
    for (int next = 1; next < K; ++next) c += blockIdx.x >= parts.first[next];
    by_class<K>(c, [&](auto c) {
        constexpr int C = decltype(c)::value;
        const unsigned j = (blockIdx.x - parts.first[C]) * BLOCK + threadIdx.x;
        if (j < parts.count[C]) columns.value[C][j] = method<C, HEAVY>(columns.value[C][j]);
    });
}

template <int K>
__global__ void values_of_columns(Columns<K> columns, unsigned* values, unsigned n)
{
    const unsigned i = thread_index();
    if (i < n) by_class<K>(i % K, [&](auto c) { values[i] = columns.value[decltype(c)::value][i / K]; });
}

// ---------------------------------------------------------------------------------------------------
// The host's side.

unsigned checked_objects(std::uint64_t n, std::uint64_t most)
{
    if (n > most) throw Failure{cudaErrorInvalidValue};
    return checked_count(n);
}

template <class Object, class Values>
auto sum_of(Object* const* objects, unsigned n, Values values_of)
{
    return [=](Checksum& checksum) {
        const Buffer<unsigned> values(n);
        values_of<<<blocks_for(n, BLOCK), BLOCK>>>(objects, values.data(), n);
        checksum.add(values.data(), n);
        check(cudaDeviceSynchronize());
    };
}

enum class By { New, Buffer, Shared, Coal, TypePointer, ClassTag, Branch, Links, Reordered, Launches, Parts };

// As large as 4 M objects need. Can be set only before the first kernel that allocates.
void reserve_heap()
{
    constexpr std::size_t HEAP = std::size_t{4} << 30;
    std::size_t now = 0;
    check(cudaDeviceGetLimit(&now, cudaLimitMallocHeapSize));
    if (now < HEAP) check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP));
}

// Objects by device-side `new`, and how long making them took.
template <int K, bool HEAVY>
class Allocated {
public:
    explicit Allocated(unsigned n) : objects_(n)
    {
        reserve_heap();
        const Stream stream;
        const Event start, stop;
        start.record(stream);
        make_by_new<K, HEAVY><<<blocks_for(n, BLOCK), BLOCK, 0, stream>>>(objects_.data(), n);
        stop.record(stream);
        check(cudaGetLastError());
        nanoseconds_ = stop.milliseconds_since(start) * 1e6;
        // Allocations that failed are null.
        std::vector<Base*> made(n);
        check(cudaMemcpy(made.data(), objects_.data(), objects_.bytes(), cudaMemcpyDeviceToHost));
        if (std::find(made.begin(), made.end(), nullptr) != made.end()) throw Failure{cudaErrorMemoryAllocation};
    }

    ~Allocated()
    {
        const unsigned n = static_cast<unsigned>(objects_.size());
        free_objects<<<blocks_for(n, BLOCK), BLOCK>>>(objects_.data(), n);
        cudaDeviceSynchronize();
    }

    Base** data() const { return objects_.data(); }
    double nanoseconds() const { return nanoseconds_; }

private:
    Buffer<Base*> objects_;
    double nanoseconds_ = 0.0;
};

template <int K>
class ColumnBuffers {
public:
    ColumnBuffers(unsigned n, unsigned* links) : values_(K * std::size_t{blocks_for(n, K)})
    {
        const std::size_t room = blocks_for(n, K);
        for (int c = 0; c < K; ++c) columns_.value[c] = values_.data() + c * room;
        make_columns<K><<<blocks_for(n, BLOCK), BLOCK>>>(columns_, links, n);
        check(cudaGetLastError());
    }

    Columns<K> columns() const { return columns_; }

private:
    Buffer<unsigned> values_;
    Columns<K> columns_;
};

// Links in order by class, each class from a multiple of 32 on. Object i is of class i mod K.
template <int K>
std::vector<unsigned> reordered_links(unsigned n)
{
    std::vector<unsigned> links;
    for (unsigned c = 0; c < K; ++c) {
        for (unsigned i = c; i < n; i += K) links.push_back((K == 1 ? 0 : c << (32 - TAG_BITS<K>) % 32) | i / K);
        links.resize((links.size() + 31) / 32 * 32, NONE);
    }
    return links;
}

template <int C, int K, bool HEAVY>
void launch_classes(const Columns<K>& columns, const Parts<K>& parts, cudaStream_t stream)
{
    if constexpr (C < K) {
        const unsigned count = parts.count[C];
        if (count > 0) {
            call_class<C, HEAVY><<<blocks_for(count, BLOCK), BLOCK, 0, stream>>>(columns.value[C], count);
        }
        launch_classes<C + 1, K, HEAVY>(columns, parts, stream);
    }
}

template <By BY, int K, bool HEAVY>
double time_calls(unsigned n)
{
    const unsigned grid = blocks_for(n, BLOCK);
    if constexpr (BY == By::New) {
        const Allocated<K, HEAVY> objects(n);
        return measure([&](cudaStream_t s) { call_virtual<<<grid, BLOCK, 0, s>>>(objects.data(), n); },
                       sum_of(objects.data(), n, values_of_virtual));
    } else if constexpr (BY == By::Buffer) {
        const Buffer<Base*> objects(n);
        const Buffer<char> memory(n * sizeof(Object<0, HEAVY>));
        auto* const buffer = reinterpret_cast<Object<0, HEAVY>*>(memory.data());
        make_in_buffer<K, HEAVY><<<grid, BLOCK>>>(objects.data(), buffer, n);
        return measure([&](cudaStream_t s) { call_virtual<<<grid, BLOCK, 0, s>>>(objects.data(), n); },
                       sum_of(objects.data(), n, values_of_virtual));
    } else if constexpr (BY == By::Shared || BY == By::Coal || BY == By::TypePointer) {
        const Buffer<Base*> objects(n);
        const Buffer<char> memory(shared_room<K>(n) * sizeof(Object<0, HEAVY>));
        const Buffer<Tick> ticks(K);
        auto* const buffer = reinterpret_cast<Object<0, HEAVY>*>(memory.data());
        make_shared<K, HEAVY><<<grid, BLOCK>>>(objects.data(), buffer, n, BY == By::TypePointer);
        fill_ticks<K, HEAVY><<<1, K>>>(ticks.data());
        check(cudaGetLastError());
        if constexpr (BY == By::Shared) {
            return measure([&](cudaStream_t s) { call_virtual<<<grid, BLOCK, 0, s>>>(objects.data(), n); },
                           sum_of(objects.data(), n, values_of_virtual));
        } else if constexpr (BY == By::Coal) {
            const RegionTree<K> tree(reinterpret_cast<std::uintptr_t>(buffer), sizeof *buffer, n);
            return measure(
                [&](cudaStream_t s) { call_coal<<<grid, BLOCK, 0, s>>>(objects.data(), tree.view(), ticks.data(), n); },
                sum_of(objects.data(), n, values_of_virtual));
        } else {
            return measure(
                [&](cudaStream_t s) { call_type_pointer<<<grid, BLOCK, 0, s>>>(objects.data(), ticks.data(), n); },
                sum_of(objects.data(), n, values_of_type_pointer));
        }
    } else if constexpr (BY == By::ClassTag) {
        const Buffer<Tagged*> objects(n);
        const Buffer<Tagged> memory(shared_room<K>(n));
        make_tagged<K><<<grid, BLOCK>>>(objects.data(), memory.data(), n);
        return measure([&](cudaStream_t s) { call_class_tag<K, HEAVY><<<grid, BLOCK, 0, s>>>(objects.data(), n); },
                       sum_of(objects.data(), n, values_of_tagged));
    } else if constexpr (BY == By::Branch) {
        const Buffer<unsigned> values(n);
        count_up<<<grid, BLOCK>>>(values.data(), n);
        return measure([&](cudaStream_t s) { call_branch<K, HEAVY><<<grid, BLOCK, 0, s>>>(values.data(), n); },
                       [&](Checksum& checksum) { checksum.add(values.data(), n); });
    } else {
        const Buffer<unsigned> links(n);
        const ColumnBuffers<K> buffers(n, links.data());
        const Columns<K> columns = buffers.columns();
        const auto sum = [&](Checksum& checksum) {
            const Buffer<unsigned> values(n);
            values_of_columns<K><<<grid, BLOCK>>>(columns, values.data(), n);
            checksum.add(values.data(), n);
            check(cudaDeviceSynchronize());
        };
        if constexpr (BY == By::Links) {
            return measure(
                [&](cudaStream_t s) { call_links<K, HEAVY><<<grid, BLOCK, 0, s>>>(columns, links.data(), n); }, sum);
        } else if constexpr (BY == By::Reordered) {
            const Buffer<unsigned> order(reordered_links<K>(n));
            const unsigned places = static_cast<unsigned>(order.size());
            return measure(
                [&](cudaStream_t s) {
                    call_links<K, HEAVY><<<blocks_for(places, BLOCK), BLOCK, 0, s>>>(columns, order.data(), places);
                },
                sum);
        } else {
            Parts<K> parts = {};
            for (unsigned c = 0; c < K; ++c) {
                parts.count[c] = n / K + (c < n % K);
                parts.first[c + 1] = parts.first[c] + (parts.count[c] + BLOCK - 1) / BLOCK;
            }
            if constexpr (BY == By::Parts) {
                return measure(
                    [&](cudaStream_t s) {
                        call_parts<K, HEAVY><<<parts.first[K], BLOCK, 0, s>>>(columns, parts);
                    },
                    sum);
            } else {
                return measure([&](cudaStream_t s) { launch_classes<0, K, HEAVY>(columns, parts, s); }, sum);
            }
        }
    }
}

// Calls `f` with the number of classes as a constant.
template <class F>
double with_classes(std::uint32_t classes, F f)
{
    switch (classes) {
        case 1: return f(std::integral_constant<int, 1>{});
        case 2: return f(std::integral_constant<int, 2>{});
        case 4: return f(std::integral_constant<int, 4>{});
        case 8: return f(std::integral_constant<int, 8>{});
        case 16: return f(std::integral_constant<int, 16>{});
        case 32: return f(std::integral_constant<int, 32>{});
        default: throw Failure{cudaErrorInvalidValue};
    }
}

template <By BY>
double time_by(std::uint64_t count, std::uint32_t classes, std::uint32_t heavy)
{
    return guarded([&] {
        const unsigned n = checked_objects(count, BY == By::New ? std::uint64_t{1} << 22 : MOST);
        return with_classes(classes, [&](auto k) {
            constexpr int K = decltype(k)::value;
            return heavy != 0 ? time_calls<BY, K, true>(n) : time_calls<BY, K, false>(n);
        });
    });
}

}  // namespace

EXPORT double dispatch_new(std::uint64_t n, std::uint32_t k, std::uint32_t h) { return time_by<By::New>(n, k, h); }
EXPORT double dispatch_buffer(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Buffer>(n, k, h);
}
EXPORT double dispatch_shared_oa(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Shared>(n, k, h);
}
EXPORT double dispatch_coal(std::uint64_t n, std::uint32_t k, std::uint32_t h) { return time_by<By::Coal>(n, k, h); }
EXPORT double dispatch_type_pointer(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::TypePointer>(n, k, h);
}
EXPORT double dispatch_class_tag(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::ClassTag>(n, k, h);
}
EXPORT double dispatch_branch(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Branch>(n, k, h);
}
EXPORT double dispatch_links(std::uint64_t n, std::uint32_t k, std::uint32_t h) { return time_by<By::Links>(n, k, h); }
EXPORT double dispatch_reordered(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Reordered>(n, k, h);
}
EXPORT double dispatch_all_launches(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Launches>(n, k, h);
}
EXPORT double dispatch_all_parts(std::uint64_t n, std::uint32_t k, std::uint32_t h)
{
    return time_by<By::Parts>(n, k, h);
}

// Making the objects: by device-side `new`, once.
EXPORT double dispatch_create_new(std::uint64_t count, std::uint32_t classes)
{
    return guarded([&] {
        const unsigned n = checked_objects(count, std::uint64_t{1} << 22);
        return with_classes(classes,
                            [&](auto k) { return Allocated<decltype(k)::value, false>(n).nanoseconds(); });
    });
}

// Making the objects in a buffer that is there.
EXPORT double dispatch_create_buffer(std::uint64_t count, std::uint32_t classes)
{
    return guarded([&] {
        const unsigned n = checked_objects(count, MOST);
        return with_classes(classes, [&](auto k) {
            constexpr int K = decltype(k)::value;
            const Buffer<Base*> objects(n);
            const Buffer<char> memory(n * sizeof(Object<0, false>));
            auto* const buffer = reinterpret_cast<Object<0, false>*>(memory.data());
            return measure(
                [&](cudaStream_t s) {
                    make_in_buffer<K, false><<<blocks_for(n, BLOCK), BLOCK, 0, s>>>(objects.data(), buffer, n);
                },
                sum_of(objects.data(), n, values_of_virtual));
        });
    });
}

// Putting links in order by class: CUB's radix sort by the tag's bits, positions in the slice with them. For one class
// nothing is to be done.
EXPORT double dispatch_sort(std::uint64_t count, std::uint32_t classes)
{
    return guarded([&] {
        const unsigned n = checked_objects(count, MOST);
        return with_classes(classes, [&](auto k) {
            constexpr int K = decltype(k)::value;
            if (K == 1) throw Failure{cudaErrorInvalidValue};
            const Buffer<unsigned> links(n), positions(n), sorted(n), sorted_positions(n);
            const ColumnBuffers<K> buffers(n, links.data());
            count_up<<<blocks_for(n, BLOCK), BLOCK>>>(positions.data(), n);
            const auto sort = [&](void* scratch, std::size_t& bytes, cudaStream_t s) {
                check(cub::DeviceRadixSort::SortPairs(scratch, bytes, links.data(), sorted.data(), positions.data(),
                                                      sorted_positions.data(), n, 32 - TAG_BITS<K>, 32, s));
            };
            std::size_t bytes = 0;
            sort(nullptr, bytes, nullptr);
            const Buffer<char> scratch(bytes);
            return measure([&](cudaStream_t s) { sort(scratch.data(), bytes, s); },
                           [&](Checksum& checksum) { checksum.add(sorted_positions.data(), n); });
        });
    });
}
