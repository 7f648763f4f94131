// A path tracer: spheres, planes and triangles of five materials, one thread per pixel, one path per launch. The same
// arithmetic in the same order as examples/raytrace, whose scenes it is given.
//
// Five ways to call a shape's methods:
//   switch    a 4-byte link with the class in its upper bits, and columns: a switch over classes
//   new       C++ virtual functions, objects made by device-side `new`
//   placed    C++ virtual functions, objects side by side in one buffer for each class (SharedOA)
//   coal, type_pointer    objects as before, and TYPEPTR's techniques (workloads/strategy.cuh)
// Each rounded after every operation, which gives Ikra's bits, and the switch also with products and sums contracted as nvcc
// does by default.

#include "workloads/strategy.cuh"

using workloads::By;

namespace {

constexpr unsigned BLOCK = 256;
constexpr std::uint32_t NONE = ~0u;
constexpr unsigned INDEX_BITS = 29;
constexpr std::uint32_t INDEX_MASK = (1u << INDEX_BITS) - 1;

// ------------------------------------------------------------------------------ numbers

// A number whose products are not merged into sums.
struct Rounded {
    float value;

    Rounded() = default;
    __device__ Rounded(float value) : value(value) {}
    __device__ explicit operator float() const { return value; }
};
__device__ inline Rounded operator+(Rounded a, Rounded b) { return __fadd_rn(a.value, b.value); }
__device__ inline Rounded operator-(Rounded a, Rounded b) { return __fsub_rn(a.value, b.value); }
__device__ inline Rounded operator*(Rounded a, Rounded b) { return __fmul_rn(a.value, b.value); }
__device__ inline Rounded operator/(Rounded a, Rounded b) { return __fdiv_rn(a.value, b.value); }
__device__ inline Rounded operator-(Rounded a) { return -a.value; }
__device__ inline bool operator<(Rounded a, Rounded b) { return a.value < b.value; }
__device__ inline bool operator>(Rounded a, Rounded b) { return a.value > b.value; }
__device__ inline bool operator<=(Rounded a, Rounded b) { return a.value <= b.value; }
__device__ inline bool operator>=(Rounded a, Rounded b) { return a.value >= b.value; }
__device__ inline Rounded root(Rounded a) { return __fsqrt_rn(a.value); }
__device__ inline float root(float a) { return sqrtf(a); }

// As it lies in memory.
struct Stored {
    float x, y, z;
};

template <class F>
struct Vec {
    F x, y, z;

    Vec() = default;
    __device__ Vec(F x, F y, F z) : x(x), y(y), z(z) {}
    __device__ Vec(const Stored& s) : x(s.x), y(s.y), z(s.z) {}
    __device__ explicit operator Stored() const { return {float(x), float(y), float(z)}; }

    __device__ Vec operator+(Vec o) const { return {x + o.x, y + o.y, z + o.z}; }
    __device__ Vec operator-(Vec o) const { return {x - o.x, y - o.y, z - o.z}; }
    __device__ Vec operator-() const { return {-x, -y, -z}; }
    __device__ Vec operator*(F f) const { return {x * f, y * f, z * f}; }
    __device__ Vec operator*(Vec o) const { return {x * o.x, y * o.y, z * o.z}; }
    __device__ F dot(Vec o) const { return x * o.x + y * o.y + z * o.z; }
    __device__ Vec cross(Vec o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
    __device__ Vec unit() const { return *this * (F(1.0f) / root(dot(*this))); }
};

// Philox 4x32-10: the numbers of a pixel in a sample.
class Random {
public:
    __device__ Random(std::uint64_t seed, std::uint32_t object, std::uint32_t step)
        : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, object_(object), step_(step)
    {
    }

    // From 0 up to, but not including, 1.
    __device__ float uniform() { return float(next() >> 8) * (1.0f / 16'777'216.0f); }

private:
    __device__ std::uint32_t next()
    {
        if (used_ == 4) {
            fill();
            used_ = 0;
        }
        const std::uint32_t number = used_ == 0 ? a_ : used_ == 1 ? b_ : used_ == 2 ? c_ : d_;
        ++used_;
        return number;
    }

    __device__ void fill()
    {
        std::uint32_t a = blocks_++, b = 0, c = object_, d = step_, k = key_[0], l = key_[1];
        for (int round = 0; round < 10; ++round) {
            const std::uint32_t p = __umulhi(0xd2511f53u, a), q = 0xd2511f53u * a;
            const std::uint32_t r = __umulhi(0xcd9e8d57u, c), s = 0xcd9e8d57u * c;
            a = r ^ b ^ k;
            b = s;
            c = p ^ d ^ l;
            d = q;
            k += 0x9e3779b9u;
            l += 0xbb67ae85u;
        }
        a_ = a, b_ = b, c_ = c, d_ = d;
    }

    std::uint32_t key_[2], object_, step_, blocks_ = 0, used_ = 4, a_ = 0, b_ = 0, c_ = 0, d_ = 0;
};

template <class F>
struct Disc {
    F x, y;

    __device__ explicit Disc(Random& random)
    {
        do {
            x = F(2.0f) * F(random.uniform()) - F(1.0f);
            y = F(2.0f) * F(random.uniform()) - F(1.0f);
        } while (!(x * x + y * y < F(1.0f)));
    }
};

template <class F>
__device__ Vec<F> random_unit(Random& random)
{
    const Disc<F> at(random);
    const F square = at.x * at.x + at.y * at.y;
    const F scale = F(2.0f) * root(F(1.0f) - square);
    return {at.x * scale, at.y * scale, F(1.0f) - F(2.0f) * square};
}

// ------------------------------------------------------------------------------ rays and surfaces

template <class F>
struct Ray {
    Vec<F> origin, direction;

    __device__ Vec<F> at(F distance) const { return origin + direction * distance; }
};

template <class F>
struct Hit {
    Vec<F> at, direction, normal;
    F gap;

    __device__ bool is_outside() const { return direction.dot(normal) < F(0.0f); }
    __device__ Vec<F> facing() const { return is_outside() ? normal : -normal; }
    __device__ Vec<F> reflected() const { return direction - normal * (F(2.0f) * direction.dot(normal)); }
    __device__ Ray<F> ray(Vec<F> to) const
    {
        to = to.unit();
        return {at + normal * (to.dot(normal) < F(0.0f) ? -gap : gap), to};
    }
};

template <class F>
struct Bounce {
    Vec<F> share;
    Ray<F> ray;
};

__device__ inline float missed() { return __int_as_float(0x7f800000); }

// A shape or material is its fields; methods are the same however it is called.

template <class F>
struct Sphere {
    Vec<F> centre;
    F radius;

    __device__ F distance(const Ray<F>& ray) const
    {
        const Vec<F> to_centre = centre - ray.origin;
        const F middle = to_centre.dot(ray.direction);
        const Vec<F> off = to_centre - ray.direction * middle;
        const F square = radius * radius - off.dot(off);
        if (square < F(0.0f)) return missed();
        const F half = root(square);
        if (middle - half > F(0.0f)) return middle - half;
        if (middle + half > F(0.0f)) return middle + half;
        return missed();
    }
    __device__ Vec<F> normal(Vec<F> at) const { return (at - centre).unit(); }
};

template <class F>
struct Plane {
    Vec<F> up;
    F height;

    __device__ F distance(const Ray<F>& ray) const
    {
        const F distance = (height - ray.origin.dot(up)) / ray.direction.dot(up);
        return distance > F(0.0f) ? distance : F(missed());
    }
    __device__ Vec<F> normal(Vec<F>) const { return up; }
};

template <class F>
struct Triangle {
    Vec<F> corner, first, second, out;

    __device__ F distance(const Ray<F>& ray) const
    {
        const Vec<F> across = ray.direction.cross(second);
        const F inverse = F(1.0f) / first.dot(across);
        const Vec<F> from_corner = ray.origin - corner;
        const F u = from_corner.dot(across) * inverse;
        const Vec<F> along = from_corner.cross(first);
        const F v = ray.direction.dot(along) * inverse;
        const F distance = second.dot(along) * inverse;
        const bool is_hit = u >= F(0.0f) && v >= F(0.0f) && u + v <= F(1.0f) && distance > F(0.0f);
        return is_hit ? distance : F(missed());
    }
    __device__ Vec<F> normal(Vec<F>) const { return out; }
};

template <class F>
__device__ bool scatter(Vec<F> share, const Hit<F>& hit, Random& random, Bounce<F>& bounce)
{
    const Vec<F> facing = hit.facing();
    const Vec<F> to = facing + random_unit<F>(random);
    bounce = {share, hit.ray(to.dot(to) > F(1e-6f) ? to : facing)};
    return true;
}

template <class F>
struct Diffuse {
    Vec<F> colour;

    __device__ bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        return scatter(colour, hit, random, next);
    }
};

template <class F>
struct Checks {
    Vec<F> even, odd;
    F side;

    __device__ bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        const int column = int(floorf(float(hit.at.x / side))), row = int(floorf(float(hit.at.z / side)));
        return scatter(((column ^ row) & 1) == 0 ? even : odd, hit, random, next);
    }
};

template <class F>
struct Mirror {
    Vec<F> colour;
    F roughness;

    __device__ bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        const Vec<F> to = hit.reflected() + random_unit<F>(random) * roughness;
        if (!(to.dot(hit.facing()) > F(0.0f))) return false;
        next = {colour, hit.ray(to)};
        return true;
    }
};

template <class F>
struct Glass {
    Vec<F> colour;
    F index;

    __device__ bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        const Vec<F> facing = hit.facing();
        const F ratio = hit.is_outside() ? F(1.0f) / index : index;
        const F cosine = -hit.direction.dot(facing);
        const F square = F(1.0f) - ratio * ratio * (F(1.0f) - cosine * cosine);
        Vec<F> to;
        if (square <= F(0.0f)) {
            to = hit.reflected();
        } else {
            const F through = root(square);
            const F rest = F(1.0f) - (hit.is_outside() ? cosine : through);
            F straight = (F(1.0f) - index) / (F(1.0f) + index);
            straight = straight * straight;
            const F back = straight + (F(1.0f) - straight) * (rest * rest * rest * rest * rest);
            to = F(random.uniform()) < back ? hit.reflected()
                                            : hit.direction * ratio + facing * (ratio * cosine - through);
        }
        next = {colour, hit.ray(to)};
        return true;
    }
};

// ------------------------------------------------------------------------------ what the caller passes

// As `View` of examples/raytrace/src/model/view.rs.
struct View {
    std::uint64_t seed;
    std::uint32_t width, bounces;
    Stored eye, corner, across, down, lens_right, lens_up;
    float gap;
    Stored horizon, zenith, to_sun, sun;
    std::uint32_t sharpness;
};
static_assert(sizeof(View) == 144, "as in Rust");

template <class T>
struct Slice {
    const T* data;
    std::uint64_t len;
};

// The columns of a scene, in host memory. Links have the class in their upper bits, in the order in which classes are listed.
struct Columns {
    Slice<Stored> sphere_centre;
    Slice<float> sphere_radius;
    Slice<std::uint32_t> sphere_material;
    Slice<Stored> plane_up;
    Slice<float> plane_height;
    Slice<std::uint32_t> plane_material;
    Slice<Stored> triangle_corner, triangle_first, triangle_second, triangle_out;
    Slice<std::uint32_t> triangle_material;
    Slice<Stored> diffuse_colour;
    Slice<Stored> checks_even, checks_odd;
    Slice<float> checks_side;
    Slice<Stored> mirror_colour;
    Slice<float> mirror_roughness;
    Slice<Stored> glass_colour;
    Slice<float> glass_index;
    Slice<Stored> lamp_colour;
    // Boxes: of a leaf the shape, else NONE; the next box of rays that reach this one; that of rays that do not.
    Slice<Stored> node_low, node_high;
    Slice<std::uint32_t> node_shape, node_inside, node_after;
    // The shapes that are not in boxes.
    Slice<std::uint32_t> list;
    View view;
    // Pixels, and where their light goes after `samples` samples; then one more is timed.
    std::uint64_t pixels;
    std::uint32_t samples;
    Stored* light;
};

// The same in device memory.
class DeviceColumns {
public:
    explicit DeviceColumns(const Columns& host) : columns(host)
    {
        Columns& c = columns;
        upload(c.sphere_centre), upload(c.sphere_radius), upload(c.sphere_material);
        upload(c.plane_up), upload(c.plane_height), upload(c.plane_material);
        upload(c.triangle_corner), upload(c.triangle_first), upload(c.triangle_second), upload(c.triangle_out);
        upload(c.triangle_material), upload(c.diffuse_colour);
        upload(c.checks_even), upload(c.checks_odd), upload(c.checks_side);
        upload(c.mirror_colour), upload(c.mirror_roughness);
        upload(c.glass_colour), upload(c.glass_index), upload(c.lamp_colour);
        upload(c.node_low), upload(c.node_high);
        upload(c.node_shape), upload(c.node_inside), upload(c.node_after), upload(c.list);
    }
    ~DeviceColumns()
    {
        for (void* memory : owned_) cudaFree(memory);
    }
    DeviceColumns(const DeviceColumns&) = delete;
    DeviceColumns& operator=(const DeviceColumns&) = delete;

    Columns columns;

private:
    template <class T>
    void upload(Slice<T>& slice)
    {
        if (slice.len == 0) return;
        void* memory = nullptr;
        check(cudaMalloc(&memory, slice.len * sizeof(T)));
        owned_.push_back(memory);
        check(cudaMemcpy(memory, slice.data, slice.len * sizeof(T), cudaMemcpyHostToDevice));
        slice.data = static_cast<const T*>(memory);
    }

    std::vector<void*> owned_;
};

// ------------------------------------------------------------------------------ a switch over columns

template <class F>
struct SwitchScene {
    using Shape = std::uint32_t;
    using Material = std::uint32_t;

    Columns c;

    __device__ static Shape none() { return NONE; }
    __device__ Shape listed(unsigned n) const { return c.list.data[n]; }
    __device__ Shape in_node(unsigned n) const { return c.node_shape.data[n]; }

    __device__ Sphere<F> sphere(unsigned n) const { return {c.sphere_centre.data[n], c.sphere_radius.data[n]}; }
    __device__ Plane<F> plane(unsigned n) const { return {c.plane_up.data[n], c.plane_height.data[n]}; }
    __device__ Triangle<F> triangle(unsigned n) const
    {
        return {c.triangle_corner.data[n], c.triangle_first.data[n], c.triangle_second.data[n], c.triangle_out.data[n]};
    }

    __device__ F distance(Shape shape, const Ray<F>& ray) const
    {
        const unsigned n = shape & INDEX_MASK;
        switch (shape >> INDEX_BITS) {
        case 0: return sphere(n).distance(ray);
        case 1: return plane(n).distance(ray);
        default: return triangle(n).distance(ray);
        }
    }
    __device__ F distance_to_listed(Shape shape, const Ray<F>& ray) const { return distance(shape, ray); }
    __device__ Vec<F> normal(Shape shape, Vec<F> at) const
    {
        const unsigned n = shape & INDEX_MASK;
        switch (shape >> INDEX_BITS) {
        case 0: return sphere(n).normal(at);
        case 1: return plane(n).normal(at);
        default: return triangle(n).normal(at);
        }
    }
    __device__ Material material(Shape shape) const
    {
        const unsigned n = shape & INDEX_MASK;
        switch (shape >> INDEX_BITS) {
        case 0: return c.sphere_material.data[n];
        case 1: return c.plane_material.data[n];
        default: return c.triangle_material.data[n];
        }
    }
    __device__ bool bounce(Material material, const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        const unsigned n = material & INDEX_MASK;
        switch (material >> INDEX_BITS) {
        case 0: return Diffuse<F>{c.diffuse_colour.data[n]}.bounce(hit, random, next);
        case 1:
            return Checks<F>{c.checks_even.data[n], c.checks_odd.data[n], c.checks_side.data[n]}.bounce(hit, random, next);
        case 2: return Mirror<F>{c.mirror_colour.data[n], c.mirror_roughness.data[n]}.bounce(hit, random, next);
        case 3: return Glass<F>{c.glass_colour.data[n], c.glass_index.data[n]}.bounce(hit, random, next);
        default: return false;
        }
    }
    __device__ Vec<F> glow(Material material) const
    {
        if (material >> INDEX_BITS == 4) return c.lamp_colour.data[material & INDEX_MASK];
        return {0.0f, 0.0f, 0.0f};
    }
};

// ------------------------------------------------------------------------------ virtual functions

template <class F>
struct AnyMaterial {
    __device__ virtual bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const = 0;
    __device__ virtual Vec<F> glow() const { return {0.0f, 0.0f, 0.0f}; }
    __device__ virtual ~AnyMaterial() {}
};

template <class F>
struct AnyShape {
    __device__ virtual F distance(const Ray<F>& ray) const = 0;
    __device__ virtual Vec<F> normal(Vec<F> at) const = 0;
    __device__ virtual const AnyMaterial<F>* material() const = 0;
    __device__ virtual ~AnyShape() {}
};

template <class F, class Inner>
struct VirtualShape final : AnyShape<F> {
    Inner inner;
    const AnyMaterial<F>* made_of;

    __device__ VirtualShape(Inner inner, const AnyMaterial<F>* made_of) : inner(inner), made_of(made_of) {}
    __device__ F distance(const Ray<F>& ray) const override { return inner.distance(ray); }
    __device__ Vec<F> normal(Vec<F> at) const override { return inner.normal(at); }
    __device__ const AnyMaterial<F>* material() const override { return made_of; }
};

template <class F, class Inner>
struct VirtualMaterial final : AnyMaterial<F> {
    Inner inner;

    __device__ explicit VirtualMaterial(Inner inner) : inner(inner) {}
    __device__ bool bounce(const Hit<F>& hit, Random& random, Bounce<F>& next) const override
    {
        return inner.bounce(hit, random, next);
    }
};

template <class F>
struct VirtualLamp final : AnyMaterial<F> {
    Vec<F> colour;

    __device__ explicit VirtualLamp(Vec<F> colour) : colour(colour) {}
    __device__ bool bounce(const Hit<F>&, Random&, Bounce<F>&) const override { return false; }
    __device__ Vec<F> glow() const override { return colour; }
};

template <class F>
struct VirtualMethods {
    METHOD(Distance, 0, F, distance, (const AnyShape<F>* o, const Ray<F>& ray), (ray));
    METHOD(Normal, 1, Vec<F>, normal, (const AnyShape<F>* o, Vec<F> at), (at));
    METHOD(Material, 2, const AnyMaterial<F>*, material, (const AnyShape<F>* o), ());
    METHOD(Bounces, 0, bool, bounce, (const AnyMaterial<F>* o, const Hit<F>& hit, Random& random, Bounce<F>& next),
           (hit, random, next));
    METHOD(Glow, 1, Vec<F>, glow, (const AnyMaterial<F>* o), ());
};

// Where objects begin: of each class, after those of the classes before. Materials are classes 3 to 7.
template <class F, By BY>
struct VirtualScene {
    using Methods = VirtualMethods<F>;
    using Shape = const AnyShape<F>*;
    using Material = const AnyMaterial<F>*;

    Columns c;
    AnyShape<F>** shapes[3];
    AnyMaterial<F>** materials[5];
    const AnyShape<F>** list;
    const AnyShape<F>** in_nodes;

    __device__ static Shape none() { return nullptr; }
    __device__ Shape listed(unsigned n) const { return list[n]; }
    __device__ Shape in_node(unsigned n) const { return in_nodes[n]; }
    __device__ F distance(Shape shape, const Ray<F>& ray) const
    {
        return workloads::call<BY, typename Methods::Distance>(shape, ray);
    }
    // All threads ask the same object: COAL leaves such calls as they are.
    __device__ F distance_to_listed(Shape shape, const Ray<F>& ray) const
    {
        if constexpr (BY == By::Coal) return shape->distance(ray);
        return distance(shape, ray);
    }
    __device__ Vec<F> normal(Shape shape, Vec<F> at) const
    {
        return workloads::call<BY, typename Methods::Normal>(shape, at);
    }
    __device__ Material material(Shape shape) const
    {
        return workloads::call<BY, typename Methods::Material>(shape);
    }
    __device__ bool bounce(Material material, const Hit<F>& hit, Random& random, Bounce<F>& next) const
    {
        return workloads::call<BY, typename Methods::Bounces>(material, hit, random, next);
    }
    __device__ Vec<F> glow(Material material) const
    {
        return workloads::call<BY, typename Methods::Glow>(material);
    }

    __device__ AnyShape<F>* shape(std::uint32_t link) const
    {
        return link == NONE ? nullptr : shapes[link >> INDEX_BITS][link & INDEX_MASK];
    }
    __device__ const AnyMaterial<F>* made_of(std::uint32_t link) const
    {
        return materials[link >> INDEX_BITS][link & INDEX_MASK];
    }
};

// Makes an object by `new`, or in a place of its own.
template <class Object, class Argument>
__device__ Object* make(Argument inner, char* places, unsigned n)
{
    return places == nullptr ? new Object(inner) : new (places + n * sizeof(Object)) Object(inner);
}

template <class Object, class Inner, class Made>
__device__ Object* make(Inner inner, Made made_of, char* places, unsigned n)
{
    return places == nullptr ? new Object(inner, made_of) : new (places + n * sizeof(Object)) Object(inner, made_of);
}

// One buffer for each class, or null pointers.
struct Places {
    char *shapes[3], *materials[5];
};

template <class F, By BY>
__global__ void make_materials(VirtualScene<F, BY> scene, Places places, unsigned count)
{
    const Columns& c = scene.c;
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
        if (n < c.diffuse_colour.len)
            scene.materials[0][n] = workloads::tagged<BY>(
                make<VirtualMaterial<F, Diffuse<F>>>(Diffuse<F>{c.diffuse_colour.data[n]}, places.materials[0], n), 3);
        if (n < c.checks_even.len)
            scene.materials[1][n] = workloads::tagged<BY>(
                make<VirtualMaterial<F, Checks<F>>>(
                Checks<F>{c.checks_even.data[n], c.checks_odd.data[n], c.checks_side.data[n]}, places.materials[1], n), 4);
        if (n < c.mirror_colour.len)
            scene.materials[2][n] = workloads::tagged<BY>(
                make<VirtualMaterial<F, Mirror<F>>>(
                Mirror<F>{c.mirror_colour.data[n], c.mirror_roughness.data[n]}, places.materials[2], n), 5);
        if (n < c.glass_colour.len)
            scene.materials[3][n] = workloads::tagged<BY>(
                make<VirtualMaterial<F, Glass<F>>>(
                Glass<F>{c.glass_colour.data[n], c.glass_index.data[n]}, places.materials[3], n), 6);
        if (n < c.lamp_colour.len)
            scene.materials[4][n] = workloads::tagged<BY>(
                make<VirtualLamp<F>>(Vec<F>(c.lamp_colour.data[n]), places.materials[4], n), 7);
    }
}

template <class F, By BY>
__global__ void make_shapes(VirtualScene<F, BY> scene, Places places, unsigned count)
{
    const Columns& c = scene.c;
    const SwitchScene<F> columns{c};
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
        if (n < c.sphere_centre.len)
            scene.shapes[0][n] = workloads::tagged<BY>(make<VirtualShape<F, Sphere<F>>>(
                columns.sphere(n), scene.made_of(c.sphere_material.data[n]), places.shapes[0], n), 0);
        if (n < c.plane_up.len)
            scene.shapes[1][n] = workloads::tagged<BY>(make<VirtualShape<F, Plane<F>>>(
                columns.plane(n), scene.made_of(c.plane_material.data[n]), places.shapes[1], n), 1);
        if (n < c.triangle_corner.len)
            scene.shapes[2][n] = workloads::tagged<BY>(make<VirtualShape<F, Triangle<F>>>(
                columns.triangle(n), scene.made_of(c.triangle_material.data[n]), places.shapes[2], n), 2);
    }
}

template <class F, By BY>
__global__ void link_shapes(VirtualScene<F, BY> scene, unsigned count)
{
    const Columns& c = scene.c;
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
        if (n < c.list.len) scene.list[n] = scene.shape(c.list.data[n]);
        if (n < c.node_shape.len) scene.in_nodes[n] = scene.shape(c.node_shape.data[n]);
    }
}

template <class F, By BY>
__global__ void delete_objects(VirtualScene<F, BY> scene)
{
    const std::uint64_t shapes[] = {scene.c.sphere_centre.len, scene.c.plane_up.len, scene.c.triangle_corner.len};
    const std::uint64_t materials[] = {scene.c.diffuse_colour.len, scene.c.checks_even.len, scene.c.mirror_colour.len,
                                       scene.c.glass_colour.len, scene.c.lamp_colour.len};
    for (int k = 0; k < 3; ++k)
        for (unsigned n = threadIdx.x; n < shapes[k]; n += blockDim.x) delete scene.shapes[k][n];
    for (int k = 0; k < 5; ++k)
        for (unsigned n = threadIdx.x; n < materials[k]; n += blockDim.x) delete scene.materials[k][n];
}

// ------------------------------------------------------------------------------ paths

template <class F>
__device__ F smaller(F a, F b)
{
    return a < b ? a : b;
}

template <class F>
__device__ F larger(F a, F b)
{
    return a > b ? a : b;
}

template <class F>
__device__ F inverse(F x)
{
    const F least = 1e-20f;
    return F(1.0f) / (x > least || x < -least ? x : least);
}

template <class F>
__device__ bool reaches(const Columns& c, unsigned node, Vec<F> origin, Vec<F> inverses, F distance)
{
    const Vec<F> low = (Vec<F>(c.node_low.data[node]) - origin) * inverses;
    const Vec<F> high = (Vec<F>(c.node_high.data[node]) - origin) * inverses;
    const F enters = larger(larger(smaller(low.x, high.x), smaller(low.y, high.y)), smaller(low.z, high.z));
    const F leaves = smaller(smaller(larger(low.x, high.x), larger(low.y, high.y)), larger(low.z, high.z));
    return enters <= leaves && leaves > F(0.0f) && enters < distance;
}

template <class F, class Scene>
__device__ F nearest(const Scene& scene, const Ray<F>& ray, typename Scene::Shape& found)
{
    F distance = missed();
    for (unsigned n = 0; n < unsigned(scene.c.list.len); ++n) {
        const typename Scene::Shape shape = scene.listed(n);
        const F to_shape = scene.distance_to_listed(shape, ray);
        if (to_shape < distance) {
            found = shape;
            distance = to_shape;
        }
    }
    const Vec<F> inverses = {inverse(ray.direction.x), inverse(ray.direction.y), inverse(ray.direction.z)};
    for (unsigned node = scene.c.node_low.len == 0 ? NONE : 0; node != NONE;) {
        if (!reaches(scene.c, node, ray.origin, inverses, distance)) {
            node = scene.c.node_after.data[node];
            continue;
        }
        const typename Scene::Shape shape = scene.in_node(node);
        if (shape != Scene::none()) {
            const F to_shape = scene.distance(shape, ray);
            if (to_shape < distance) {
                found = shape;
                distance = to_shape;
            }
        }
        node = scene.c.node_inside.data[node];
    }
    return distance;
}

template <class F>
__device__ Vec<F> sky(const View& view, Vec<F> direction)
{
    const F above = direction.y > F(0.0f) ? root(direction.y) : F(0.0f);
    const F cosine = direction.dot(view.to_sun);
    F glow = cosine > F(0.0f) ? cosine : F(0.0f);
    for (unsigned k = 0; k < view.sharpness; ++k) glow = glow * glow;
    return Vec<F>(view.horizon) * (F(1.0f) - above) + Vec<F>(view.zenith) * above + Vec<F>(view.sun) * glow;
}

template <class F, class Scene>
__device__ Vec<F> light(const Scene& scene, const View& view, unsigned pixel, unsigned sample)
{
    Random random(view.seed, pixel, sample);
    const F x = F(float(pixel % view.width)) + F(random.uniform());
    const F y = F(float(pixel / view.width)) + F(random.uniform());
    const Disc<F> at(random);
    const Vec<F> on_lens = Vec<F>(view.lens_right) * at.x + Vec<F>(view.lens_up) * at.y;
    const Vec<F> sharp = Vec<F>(view.corner) + Vec<F>(view.across) * x + Vec<F>(view.down) * y;
    Ray<F> ray = {Vec<F>(view.eye) + on_lens, (sharp - on_lens).unit()};

    Vec<F> share = {1.0f, 1.0f, 1.0f};
    for (unsigned n = 0; n <= view.bounces; ++n) {
        typename Scene::Shape shape = Scene::none();
        const F distance = nearest(scene, ray, shape);
        if (!(distance < F(missed()))) return share * sky(view, ray.direction);
        const Vec<F> place = ray.at(distance);
        const Hit<F> hit = {place, ray.direction, scene.normal(shape, place), view.gap};
        const typename Scene::Material material = scene.material(shape);
        Bounce<F> next;
        if (!scene.bounce(material, hit, random, next)) return share * scene.glow(material);
        share = share * next.share;
        ray = next.ray;
    }
    return {0.0f, 0.0f, 0.0f};
}

template <class F, class Scene>
__global__ void __launch_bounds__(BLOCK) sample_pixels(Scene scene, unsigned pixels, unsigned sample, Stored* out)
{
    const unsigned pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < pixels) out[pixel] = Stored(Vec<F>(out[pixel]) + light<F>(scene, scene.c.view, pixel, sample));
}

template <class F, class Scene>
double time_samples(const Scene& scene, const Columns& host)
{
    const unsigned pixels = checked_count(host.pixels);
    const unsigned grid = blocks_for(pixels, BLOCK);
    const Buffer<Stored> out(pixels);
    check(cudaMemset(out.data(), 0, out.bytes()));
    check(cudaDeviceSynchronize());
    const Stream stream;
    for (unsigned n = 0; n < host.samples; ++n) sample_pixels<F><<<grid, BLOCK, 0, stream>>>(scene, pixels, n, out.data());
    check(cudaGetLastError());
    stream.synchronize();
    if (host.light != nullptr) check(cudaMemcpy(host.light, out.data(), out.bytes(), cudaMemcpyDeviceToHost));
    return median_launch_ns(
        stream, [&](cudaStream_t stream) { sample_pixels<F><<<grid, BLOCK, 0, stream>>>(scene, pixels, 0, out.data()); });
}

template <class F>
double time_switch(const Columns* host)
{
    return guarded([&] {
        const DeviceColumns device(*host);
        return time_samples<F>(SwitchScene<F>{device.columns}, *host);
    });
}

template <class F, By BY>
double time_virtual(const Columns* host)
{
    constexpr bool is_placed = BY != By::New;
    return guarded([&] {
        const DeviceColumns device(*host);
        const Columns& c = device.columns;
        const std::uint64_t shapes[] = {c.sphere_centre.len, c.plane_up.len, c.triangle_corner.len};
        const std::uint64_t materials[] = {c.diffuse_colour.len, c.checks_even.len, c.mirror_colour.len,
                                           c.glass_colour.len, c.lamp_colour.len};
        constexpr std::size_t LARGEST = sizeof(VirtualShape<F, Triangle<F>>);
        std::uint64_t most = std::max(c.list.len, c.node_low.len), all = 0;
        for (const std::uint64_t count : shapes) most = std::max(most, count), all += count;
        for (const std::uint64_t count : materials) most = std::max(most, count), all += count;

        const Buffer<AnyShape<F>*> shape_pointers(shapes[0] + shapes[1] + shapes[2] + 1);
        const Buffer<AnyMaterial<F>*> material_pointers(all + 1);
        const Buffer<const AnyShape<F>*> list(c.list.len + 1), in_nodes(c.node_low.len + 1);
        workloads::Heap objects(std::vector<std::size_t>(8, LARGEST));
        std::size_t starts[8];
        for (unsigned k = 0; k < 8; ++k) {
            const std::uint64_t count = k < 3 ? shapes[k] : materials[k - 3];
            starts[k] = objects.add_region(k, is_placed ? count : 0);
        }
        objects.seal();
        using Methods = VirtualMethods<F>;
        using ShapeMethods =
            workloads::Methods<typename Methods::Distance, typename Methods::Normal, typename Methods::Material>;
        using MaterialMethods = workloads::Methods<typename Methods::Bounces, typename Methods::Glow>;
        workloads::Tables tables(8);
        workloads::fill_tables<ShapeMethods, const VirtualShape<F, Sphere<F>>, const VirtualShape<F, Plane<F>>,
                               const VirtualShape<F, Triangle<F>>><<<1, 1>>>(tables.functions(), 0);
        workloads::fill_tables<MaterialMethods, const VirtualMaterial<F, Diffuse<F>>,
                               const VirtualMaterial<F, Checks<F>>, const VirtualMaterial<F, Mirror<F>>,
                               const VirtualMaterial<F, Glass<F>>, const VirtualLamp<F>>
            <<<1, 1>>>(tables.functions(), 3);
        tables.use<BY>(objects);
        // Can be set only before the first kernel that allocates.
        constexpr std::size_t HEAP = 64u << 20;
        std::size_t heap = 0;
        check(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
        if (!is_placed && heap < HEAP) check(cudaDeviceSetLimit(cudaLimitMallocHeapSize, HEAP));

        VirtualScene<F, BY> scene{c, {}, {}, list.data(), in_nodes.data()};
        Places places{};
        AnyShape<F>** shape = shape_pointers.data();
        for (int k = 0; k < 3; ++k) {
            scene.shapes[k] = shape;
            shape += shapes[k];
            places.shapes[k] = is_placed ? objects.base() + starts[k] : nullptr;
        }
        AnyMaterial<F>** material = material_pointers.data();
        for (int k = 0; k < 5; ++k) {
            scene.materials[k] = material;
            material += materials[k];
            places.materials[k] = is_placed ? objects.base() + starts[k + 3] : nullptr;
        }
        const unsigned count = checked_count(most), grid = blocks_for(count, BLOCK);
        make_materials<<<grid, BLOCK>>>(scene, places, count);
        make_shapes<<<grid, BLOCK>>>(scene, places, count);
        link_shapes<<<grid, BLOCK>>>(scene, count);
        check(cudaGetLastError());
        check(cudaDeviceSynchronize());
        const double time = time_samples<F>(scene, *host);
        if (!is_placed) {
            delete_objects<<<1, BLOCK>>>(scene);
            check(cudaDeviceSynchronize());
        }
        return time;
    });
}

}  // namespace

EXPORT double raytrace_switch(const Columns* scene) { return time_switch<Rounded>(scene); }
EXPORT double raytrace_switch_contracted(const Columns* scene) { return time_switch<float>(scene); }
EXPORT double raytrace_new(const Columns* scene) { return time_virtual<Rounded, By::New>(scene); }
EXPORT double raytrace_placed(const Columns* scene) { return time_virtual<Rounded, By::Shared>(scene); }
EXPORT double raytrace_coal(const Columns* scene) { return time_virtual<Rounded, By::Coal>(scene); }
EXPORT double raytrace_type_pointer(const Columns* scene) { return time_virtual<Rounded, By::TypePointer>(scene); }
