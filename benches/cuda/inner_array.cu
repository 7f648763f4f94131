// Layouts of array-typed fields: the synthetic benchmark of "Inner Array Inlining for Structure of
// Arrays Layout" (ARRAY'18), section 5.1, in the seven strategies of its section 2.
//
// Each of 262,144 objects has an int `data` and an int array of 32 to 64 elements. A launch adds `data`
// to every element, one thread an object. The number of objects is known to the compiler, as a class
// with fixed storage has it: the columns lie at constant distances, and accesses to different slots
// cannot overlap.

#include "common.cuh"

namespace {

constexpr unsigned OBJECTS = 262'144;
constexpr int MOST = 64;  // elements of one array
constexpr unsigned BLOCK = 256;

// ------------------------------------------------------------------------------ what is stored

__host__ __device__ int length_of(unsigned i) { return 32 + static_cast<int>(hash(i) % 33); }
__host__ __device__ int data_of(unsigned i) { return 1 + static_cast<int>(i % 7); }
__host__ __device__ int element_of(unsigned i, int j) { return static_cast<int>((i + 3u * j) % 1000); }

// ------------------------------------------------------------------------------ layouts
//
// A layout is a handful of pointers, passed to kernels by value; its Memory owns what they point to, with
// an arena for `external` elements. Each has
//   data(i), length(i)        references to the fields of object i,
//   array(i)                  its array: [j] is element j; of partially inlined arrays, inlined[j] are the
//                             elements in the object and external[j] the ones after them, in the arena,
//   set_external(i, offset)   says where in the arena object i's elements begin,
//   INLINED                   how many elements lie in the object.

// Elements in columns that all have the same length: known distances, in 64 bits, so that the compiler
// sees that different slots are different places.
struct Slots {
    int* first;

    __device__ int& operator[](int j) const { return first[std::size_t(j) * OBJECTS]; }
};

// Which side of the boundary an element lies on is decided at each access.
template <class Inlined, int K>
struct PartialArray {
    Inlined inlined;
    int* external;

    __device__ int& operator[](int j) const { return j < K ? inlined[j] : external[j - K]; }
};

struct SoaFull {
    static constexpr int INLINED = MOST;

    int *datas, *lengths;
    int* slots;  // MOST columns

    __device__ int& data(unsigned i) const { return datas[i]; }
    __device__ int& length(unsigned i) const { return lengths[i]; }
    __device__ Slots array(unsigned i) const { return {slots + i}; }
    __device__ void set_external(unsigned, unsigned) const {}

    struct Memory {
        explicit Memory(std::size_t) : datas(OBJECTS), lengths(OBJECTS), slots(std::size_t{MOST} * OBJECTS) {}
        SoaFull view() const { return {datas.data(), lengths.data(), slots.data()}; }

        Buffer<int> datas, lengths, slots;
    };
};

template <int K>
struct SoaPartial {
    static constexpr int INLINED = K;

    int *datas, *lengths;
    unsigned* offsets;
    int* slots;  // K columns
    int* arena;

    __device__ int& data(unsigned i) const { return datas[i]; }
    __device__ int& length(unsigned i) const { return lengths[i]; }
    __device__ PartialArray<Slots, K> array(unsigned i) const { return {{slots + i}, arena + offsets[i]}; }
    __device__ void set_external(unsigned i, unsigned offset) const { offsets[i] = offset; }

    struct Memory {
        explicit Memory(std::size_t external)
            : datas(OBJECTS), lengths(OBJECTS), offsets(OBJECTS), slots(std::size_t{K} * OBJECTS), arena(external)
        {
        }
        SoaPartial view() const
        {
            return {datas.data(), lengths.data(), offsets.data(), slots.data(), arena.data()};
        }

        Buffer<int> datas, lengths;
        Buffer<unsigned> offsets;
        Buffer<int> slots, arena;
    };
};

// Array as object: columns, one of which holds whole arrays.
struct SoaObject {
    static constexpr int INLINED = MOST;

    struct Array {
        int elements[MOST];
    };

    int *datas, *lengths;
    Array* arrays;

    __device__ int& data(unsigned i) const { return datas[i]; }
    __device__ int& length(unsigned i) const { return lengths[i]; }
    __device__ int* array(unsigned i) const { return arrays[i].elements; }
    __device__ void set_external(unsigned, unsigned) const {}

    struct Memory {
        explicit Memory(std::size_t) : datas(OBJECTS), lengths(OBJECTS), arrays(OBJECTS) {}
        SoaObject view() const { return {datas.data(), lengths.data(), arrays.data()}; }

        Buffer<int> datas, lengths;
        Buffer<Array> arrays;
    };
};

struct AosFull {
    static constexpr int INLINED = MOST;

    struct Object {
        int data, length;
        int slots[MOST];
    };

    Object* objects;

    __device__ int& data(unsigned i) const { return objects[i].data; }
    __device__ int& length(unsigned i) const { return objects[i].length; }
    __device__ int* array(unsigned i) const { return objects[i].slots; }
    __device__ void set_external(unsigned, unsigned) const {}

    struct Memory {
        explicit Memory(std::size_t) : objects(OBJECTS) {}
        AosFull view() const { return {objects.data()}; }

        Buffer<Object> objects;
    };
};

template <int K>
struct InlinedObject {
    int data, length;
    unsigned offset;
    int slots[K];

    __device__ int* inlined() { return slots; }
};

// Without inlining: C++ has no arrays of no elements.
template <>
struct InlinedObject<0> {
    int data, length;
    unsigned offset;

    __device__ int* inlined() { return nullptr; }
};

template <int K>
struct AosPartial {
    static constexpr int INLINED = K;
    using Object = InlinedObject<K>;

    Object* objects;
    int* arena;

    __device__ int& data(unsigned i) const { return objects[i].data; }
    __device__ int& length(unsigned i) const { return objects[i].length; }
    __device__ PartialArray<int*, K> array(unsigned i) const
    {
        return {objects[i].inlined(), arena + objects[i].offset};
    }
    __device__ void set_external(unsigned i, unsigned offset) const { objects[i].offset = offset; }

    struct Memory {
        explicit Memory(std::size_t external) : objects(OBJECTS), arena(external) {}
        AosPartial view() const { return {objects.data(), arena.data()}; }

        Buffer<Object> objects;
        Buffer<int> arena;
    };
};

// ------------------------------------------------------------------------------ kernels

template <class Layout>
__global__ void init_objects(Layout layout, const unsigned* offsets)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const int length = length_of(i);
    layout.data(i) = data_of(i);
    layout.length(i) = length;
    layout.set_external(i, offsets[i]);
    const auto array = layout.array(i);
    for (int j = 0; j < length; ++j) array[j] = element_of(i, j);
}

// The loop as a method has it.
template <class Layout>
__global__ void __launch_bounds__(BLOCK) add_to_all(Layout layout)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const int data = layout.data(i), length = layout.length(i);
    const auto array = layout.array(i);
    for (int j = 0; j < length; ++j) array[j] += data;
}

// The loop split at the boundary, as one writes it by hand for partially inlined arrays.
template <class Layout>
__global__ void __launch_bounds__(BLOCK) add_to_all_split(Layout layout)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const int data = layout.data(i), length = layout.length(i);
    const auto array = layout.array(i);
    const int inlined = min(length, Layout::INLINED);
    for (int j = 0; j < inlined; ++j) array.inlined[j] += data;
    for (int j = 0; j < length - inlined; ++j) array.external[j] += data;
}

// Object i's part of the checksum: its elements, element j counted j + 1 times.
template <class Layout>
__global__ void checksum_objects(Layout layout, double* total)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const auto array = layout.array(i);
    double value = 0.0;
    for (int j = 0; j < layout.length(i); ++j) value += double(array[j]) * (j + 1);
    checksum_add(checksum_term(value, i), total);
}

// ------------------------------------------------------------------------------ measurements

enum class Loop { Whole, Split };

template <class Layout, Loop LOOP = Loop::Whole>
double time_layout()
{
    static_assert(OBJECTS % BLOCK == 0, "kernels have no check for the end");
    constexpr unsigned GRID = OBJECTS / BLOCK;

    // The arena as a bump allocator fills it: object after object.
    std::vector<unsigned> offsets(OBJECTS);
    unsigned external = 0;
    for (unsigned i = 0; i < OBJECTS; ++i) {
        offsets[i] = external;
        external += static_cast<unsigned>(std::max(length_of(i) - Layout::INLINED, 0));
    }

    const typename Layout::Memory memory(external);
    const Layout layout = memory.view();
    const Buffer<unsigned> device_offsets(offsets);
    init_objects<<<GRID, BLOCK>>>(layout, device_offsets.data());
    return measure(
        [&](cudaStream_t s) {
            if constexpr (LOOP == Loop::Split)
                add_to_all_split<<<GRID, BLOCK, 0, s>>>(layout);
            else
                add_to_all<<<GRID, BLOCK, 0, s>>>(layout);
        },
        [&](Checksum& sum) {
            checksum_objects<<<GRID, BLOCK>>>(layout, sum.total());
            check(cudaGetLastError());
        });
}

template <template <int> class Layout, Loop LOOP>
double time_partial(std::uint32_t k)
{
    return guarded([&] {
        switch (k) {
        case 0: return time_layout<Layout<0>, LOOP>();
        case 8: return time_layout<Layout<8>, LOOP>();
        case 16: return time_layout<Layout<16>, LOOP>();
        case 32: return time_layout<Layout<32>, LOOP>();
        case 48: return time_layout<Layout<48>, LOOP>();
        case 64: return time_layout<Layout<64>, LOOP>();
        default: throw Failure{cudaErrorInvalidValue};
        }
    });
}

}  // namespace

EXPORT double inner_soa_full() { return guarded(time_layout<SoaFull>); }
EXPORT double inner_soa_partial(std::uint32_t k) { return time_partial<SoaPartial, Loop::Whole>(k); }
EXPORT double inner_soa_partial_split(std::uint32_t k) { return time_partial<SoaPartial, Loop::Split>(k); }
EXPORT double inner_soa_none() { return time_partial<SoaPartial, Loop::Whole>(0); }
EXPORT double inner_object() { return guarded(time_layout<SoaObject>); }
EXPORT double inner_aos_full() { return guarded(time_layout<AosFull>); }
EXPORT double inner_aos_partial(std::uint32_t k) { return time_partial<AosPartial, Loop::Whole>(k); }
EXPORT double inner_aos_partial_split(std::uint32_t k) { return time_partial<AosPartial, Loop::Split>(k); }
EXPORT double inner_aos_none() { return time_partial<AosPartial, Loop::Whole>(0); }

// The number of elements of all arrays.
EXPORT double inner_elements()
{
    double elements = 0.0;
    for (unsigned i = 0; i < OBJECTS; ++i) elements += length_of(i);
    return elements;
}
