// Predators and prey: benches/models/src/model/wator.rs by hand.

#include "models.cuh"

using namespace models;

namespace {

enum Kind : std::uint8_t { Water, Fish, Shark };

constexpr std::uint64_t SEED = 42;
constexpr unsigned FISH_BREED = 4, SHARK_BREED = 16, MEAL = 4;
constexpr unsigned BLOCK = 256;

using Ticket = unsigned long long;

__device__ __forceinline__ Ticket ticket(Random& random, unsigned i)
{
    return Ticket{random.next()} << 32 | (i + 1);
}

// ---------------------------------------------------------------------------------------------------
// The same passes over the same columns.

struct Columns {
    std::uint8_t* kind;
    unsigned* energy;
    const uint4* around;
    unsigned* target;
    unsigned* carried;
    Ticket* fish_claim;
    Ticket* shark_claim;
    unsigned n;
};

__device__ __forceinline__ unsigned pick(const unsigned (&around)[4], const unsigned (&kinds)[4], unsigned kind,
                                         Random& random)
{
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) count += kinds[k] == kind;
    if (count == 0) return NONE;
    unsigned left = random.below(count), target = NONE;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (kinds[k] == kind && left-- == 0) target = around[k];
    }
    return target;
}

__device__ __forceinline__ void look(const Columns& c, unsigned i, unsigned (&around)[4], unsigned (&kinds)[4])
{
    const uint4 links = __ldg(&c.around[i]);
    around[0] = links.x;
    around[1] = links.y;
    around[2] = links.z;
    around[3] = links.w;
#pragma unroll
    for (int k = 0; k < 4; ++k) kinds[k] = c.kind[around[k]];
}

__global__ void __launch_bounds__(BLOCK) choose_fish(Columns c, unsigned step)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    c.shark_claim[i] = 0;
    if (c.kind[i] != Fish) return;
    unsigned around[4], kinds[4];
    look(c, i, around, kinds);
    Random random(SEED, i + 1, 2 * step);
    const unsigned target = pick(around, kinds, Water, random);
    const unsigned grown = c.energy[i] + 1;
    c.carried[i] = grown >= FISH_BREED ? 0 : grown;
    c.target[i] = target;
    if (target != NONE) atomicMax(&c.fish_claim[target], ticket(random, i));
}

__global__ void __launch_bounds__(BLOCK) move_fish(Columns c)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    const unsigned kind = c.kind[i];
    if (kind == Fish) {
        const unsigned target = c.target[i];
        const bool wins = target != NONE && static_cast<unsigned>(c.fish_claim[target]) == i + 1;
        if (!wins) {
            c.energy[i] += 1;
        } else if (c.energy[i] + 1 >= FISH_BREED) {
            c.energy[i] = 0;
        } else {
            c.kind[i] = Water;
        }
    } else if (kind == Water) {
        const unsigned from = static_cast<unsigned>(c.fish_claim[i]);
        if (from != 0) {
            c.kind[i] = Fish;
            c.energy[i] = c.carried[from - 1];
        }
    }
}

__global__ void __launch_bounds__(BLOCK) choose_shark(Columns c, unsigned step)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    c.fish_claim[i] = 0;
    if (c.kind[i] != Shark) return;
    const unsigned energy = c.energy[i];
    if (energy == 0) return;
    unsigned around[4], kinds[4];
    look(c, i, around, kinds);
    Random random(SEED, i + 1, 2 * step + 1);
    unsigned target = pick(around, kinds, Fish, random);
    if (target == NONE) target = pick(around, kinds, Water, random);
    c.carried[i] = energy >= SHARK_BREED ? (energy - 1) / 2 : energy - 1;
    c.target[i] = target;
    if (target != NONE) atomicMax(&c.shark_claim[target], ticket(random, i));
}

__global__ void __launch_bounds__(BLOCK) move_shark(Columns c)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    const unsigned kind = c.kind[i];
    if (kind == Shark) {
        const unsigned energy = c.energy[i];
        bool wins = false;
        if (energy > 0) {
            const unsigned target = c.target[i];
            wins = target != NONE && static_cast<unsigned>(c.shark_claim[target]) == i + 1;
        }
        if (energy == 0 || (wins && energy < SHARK_BREED)) {
            c.kind[i] = Water;
        } else if (wins) {
            c.energy[i] = (energy - 1) / 2;
        } else {
            c.energy[i] = energy - 1;
        }
    } else {
        const unsigned from = static_cast<unsigned>(c.shark_claim[i]);
        if (from != 0) {
            c.energy[i] = c.carried[from - 1] + (kind == Fish ? MEAL : 0);
            c.kind[i] = Shark;
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// The best that we know, with the same links: kind and energy in one word, what an animal
// carries computed from it by whoever takes it in, so that it is stored nowhere, and its target as a direction in
// the same word. Each cell's word has its kind in 2 bits, the direction (4: none) in 3, the energy above.

constexpr unsigned KIND = 3, DIRECTION = 2, ENERGY = 5, NOWHERE = 4;

struct Packed {
    unsigned* cell;
    const uint4* around;
    Ticket* fish_claim;
    Ticket* shark_claim;
    unsigned n;
};

__device__ __forceinline__ unsigned word(unsigned kind, unsigned energy)
{
    return kind | NOWHERE << DIRECTION | energy << ENERGY;
}

__device__ __forceinline__ unsigned direction(const unsigned (&kinds)[4], unsigned kind, Random& random)
{
    unsigned count = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) count += kinds[k] == kind;
    if (count == 0) return NOWHERE;
    unsigned left = random.below(count), found = NOWHERE;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        if (kinds[k] == kind && left-- == 0) found = k;
    }
    return found;
}

__device__ __forceinline__ unsigned component(uint4 links, unsigned k)
{
    return k == 0 ? links.x : k == 1 ? links.y : k == 2 ? links.z : links.w;
}

// What this animal's kind does to neighbouring words goes to `target` only; others read the two bits of the kind,
// which a choice does not change.
template <Kind WHO>
__global__ void __launch_bounds__(BLOCK) choose_packed(Packed c, unsigned step)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    (WHO == Fish ? c.shark_claim : c.fish_claim)[i] = 0;
    const unsigned self = c.cell[i];
    if ((self & KIND) != WHO) return;
    if (WHO == Shark && self >> ENERGY == 0) return;
    const uint4 around = __ldg(&c.around[i]);
    const unsigned kinds[4] = {c.cell[around.x] & KIND, c.cell[around.y] & KIND, c.cell[around.z] & KIND,
                               c.cell[around.w] & KIND};
    Random random(SEED, i + 1, WHO == Fish ? 2 * step : 2 * step + 1);
    unsigned to = direction(kinds, WHO == Fish ? Water : Fish, random);
    if (WHO == Shark && to == NOWHERE) to = direction(kinds, Water, random);
    const unsigned changed = (self & ~(7u << DIRECTION)) | to << DIRECTION;
    if (changed != self) c.cell[i] = changed;
    if (to != NOWHERE) atomicMax(&(WHO == Fish ? c.fish_claim : c.shark_claim)[component(around, to)], ticket(random, i));
}

// The energy with which an animal arrives depends on the one that it had, which may be gone when it is looked up: so
// the mover's own new word goes to a second column, and the two are exchanged.
template <Kind WHO>
__global__ void __launch_bounds__(BLOCK) move_packed(Packed c, unsigned* __restrict__ next)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= c.n) return;
    const unsigned self = c.cell[i], kind = self & KIND, energy = self >> ENERGY;
    const Ticket* claim = WHO == Fish ? c.fish_claim : c.shark_claim;
    unsigned result = self;
    if (kind == WHO) {
        const unsigned to = self >> DIRECTION & 7;
        bool wins = false;
        if (to != NOWHERE && !(WHO == Shark && energy == 0)) {
            const unsigned target = reinterpret_cast<const unsigned*>(c.around)[4 * std::size_t{i} + to];
            wins = static_cast<unsigned>(claim[target]) == i + 1;
        }
        if (WHO == Fish) {
            if (!wins) {
                result = word(Fish, energy + 1);
            } else {
                result = energy + 1 >= FISH_BREED ? word(Fish, 0) : word(Water, energy);
            }
        } else if (energy == 0 || (wins && energy < SHARK_BREED)) {
            result = word(Water, energy);
        } else {
            result = word(Shark, wins ? (energy - 1) / 2 : energy - 1);
        }
    } else if (WHO == Shark || kind == Water) {
        const unsigned from = static_cast<unsigned>(claim[i]);
        if (from != 0) {
            const unsigned theirs = c.cell[from - 1] >> ENERGY;
            if (WHO == Fish) {
                result = word(Fish, theirs + 1 >= FISH_BREED ? 0 : theirs + 1);
            } else {
                const unsigned left = theirs - 1;
                const unsigned carried = theirs >= SHARK_BREED ? left / 2 : left;
                result = word(Shark, carried + (kind == Fish ? MEAL : 0));
            }
        }
    }
    next[i] = result;
}

}  // namespace

// `around` has four columns of `n` numbers of cells.
EXPORT double model_wator(std::uint32_t best, std::uint32_t batches, std::uint32_t n, const std::uint32_t* around,
                          std::uint8_t* kind, std::uint32_t* energy)
{
    return guarded([&] {
        const unsigned grid = blocks_for(checked_count(n), BLOCK);
        const Stream stream;
        const Zeros<Ticket> fish_claim(n), shark_claim(n);
        std::vector<uint4> rows(n);
        for (std::size_t i = 0; i < n; ++i)
            rows[i] = make_uint4(around[i], around[n + i], around[2 * std::size_t{n} + i], around[3 * std::size_t{n} + i]);
        const Column<uint4> links(rows.data(), n);
        if (best == 0) {
            const Column<std::uint8_t> kinds(kind, n);
            const Column<unsigned> energies(energy, n);
            const Buffer<unsigned> target(n), carried(n);
            const Columns c = {kinds.data(),   energies.data(),   links.data(),       target.data(),
                               carried.data(), fish_claim.data(), shark_claim.data(), n};
            const double time = median_step_ns(batches, stream, [&](unsigned first) {
                for (unsigned step = first; step < first + STEPS; ++step) {
                    choose_fish<<<grid, BLOCK, 0, stream>>>(c, step);
                    move_fish<<<grid, BLOCK, 0, stream>>>(c);
                    choose_shark<<<grid, BLOCK, 0, stream>>>(c, step);
                    move_shark<<<grid, BLOCK, 0, stream>>>(c);
                }
            });
            kinds.read(kind);
            energies.read(energy);
            return time;
        }
        std::vector<unsigned> words(n);
        for (std::size_t i = 0; i < n; ++i) words[i] = kind[i] | NOWHERE << DIRECTION | energy[i] << ENERGY;
        const Column<unsigned> cells(words.data(), n), other(words.data(), n);
        const Packed one = {cells.data(), links.data(), fish_claim.data(), shark_claim.data(), n};
        Packed two = one;
        two.cell = other.data();
        const double time = median_step_ns(batches, stream, [&](unsigned first) {
            for (unsigned step = first; step < first + STEPS; ++step) {
                choose_packed<Fish><<<grid, BLOCK, 0, stream>>>(one, step);
                move_packed<Fish><<<grid, BLOCK, 0, stream>>>(one, two.cell);
                choose_packed<Shark><<<grid, BLOCK, 0, stream>>>(two, step);
                move_packed<Shark><<<grid, BLOCK, 0, stream>>>(two, one.cell);
            }
        });
        cells.read(words.data());
        for (std::size_t i = 0; i < n; ++i) {
            kind[i] = words[i] & KIND;
            energy[i] = words[i] >> ENERGY;
        }
        return time;
    });
}
