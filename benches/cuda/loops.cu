// Loops of two small kernels, with a test after each iteration: the host reads a flag, a graph repeats itself, or one
// kernel stays on the device.

#include "common.cuh"

#include <cooperative_groups.h>

namespace {

constexpr unsigned THREADS = 256;

// What the loop is about: numbers, how many iterations have ended, and whether a number is larger than that.
struct State {
    unsigned* values;
    unsigned n;
    unsigned* ended;
    unsigned* flag;
};

__global__ void touch(State s)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n && s.values[i] == 0) s.values[i] = 1;
}

// One atomic operation of a warp where something is found.
__global__ void look(State s)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool found = i < s.n && s.values[i] > *s.ended + 1;
    if (__any_sync(~0u, found) && threadIdx.x % 32 == 0) *s.flag = 1;
}

__global__ void begin(State s)
{
    *s.ended = 0;
    *s.flag = 0;
}

// Ends an iteration where the host tests.
__global__ void end(State s, unsigned* result)
{
    *result = *s.flag;
    *s.flag = 0;
    ++*s.ended;
}

// The same where the device tests.
__global__ void decide(State s, cudaGraphConditionalHandle condition)
{
    cudaGraphSetConditional(condition, *s.flag);
    *s.flag = 0;
    ++*s.ended;
}

__global__ void fill(State s, unsigned iterations)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) s.values[i] = i == s.n / 2 ? iterations : 1;
}

struct Loop {
    Stream stream;
    Buffer<unsigned> values, numbers, results;
    State state;
    unsigned blocks;

    Loop(unsigned n, unsigned iterations) : values(n), numbers(4), results(1), blocks((n + THREADS - 1) / THREADS)
    {
        state = State{values.data(), n, numbers.data(), numbers.data() + 1};
        fill<<<blocks, THREADS, 0, stream>>>(state, iterations);
        stream.synchronize();
    }

    void iteration(cudaStream_t on) const
    {
        touch<<<blocks, THREADS, 0, on>>>(state);
        look<<<blocks, THREADS, 0, on>>>(state);
    }

    // How many iterations a run had.
    unsigned ended() const
    {
        unsigned count = 0;
        check(cudaMemcpy(&count, state.ended, sizeof count, cudaMemcpyDeviceToHost));
        return count;
    }
};

// The host copies the flag after each iteration.
void run_by_host(Loop& loop)
{
    begin<<<1, 1, 0, loop.stream>>>(loop.state);
    for (unsigned flag = 1; flag != 0;) {
        loop.iteration(loop.stream);
        end<<<1, 1, 0, loop.stream>>>(loop.state, loop.results.data());
        check(cudaMemcpyAsync(&flag, loop.results.data(), sizeof flag, cudaMemcpyDeviceToHost, loop.stream));
        loop.stream.synchronize();
    }
}

// A graph whose WHILE node has the iteration.
class WhileGraph {
public:
    explicit WhileGraph(Loop& loop)
    {
        check(cudaGraphCreate(&graph_, 0));
        cudaGraphConditionalHandle condition;
        check(cudaGraphConditionalHandleCreate(&condition, graph_, 1, cudaGraphCondAssignDefault));
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = condition;
        params.conditional.type = cudaGraphCondTypeWhile;
        params.conditional.size = 1;
        cudaGraphNode_t node;
        check(cudaGraphAddNode(&node, graph_, nullptr, nullptr, 0, &params));
        cudaGraph_t body = params.conditional.phGraph_out[0];
        check(cudaStreamBeginCaptureToGraph(loop.stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
        loop.iteration(loop.stream);
        decide<<<1, 1, 0, loop.stream>>>(loop.state, condition);
        check(cudaStreamEndCapture(loop.stream, nullptr));
        check(cudaGraphInstantiate(&executable_, graph_, 0));
    }
    ~WhileGraph()
    {
        if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
        if (graph_ != nullptr) cudaGraphDestroy(graph_);
    }
    WhileGraph(const WhileGraph&) = delete;
    WhileGraph& operator=(const WhileGraph&) = delete;

    void run(Loop& loop) const
    {
        begin<<<1, 1, 0, loop.stream>>>(loop.state);
        check(cudaGraphLaunch(executable_, loop.stream));
        loop.stream.synchronize();
    }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

// The whole loop. Iterations take turns with three flags: one is cleared while another is set, and the third is read.
__global__ void __launch_bounds__(THREADS) resident(State s)
{
    const auto grid = cooperative_groups::this_grid();
    const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    unsigned ended = 0;
    bool goes_on = true;
    while (goes_on) {
        for (unsigned i = first; i < s.n; i += stride)
            if (s.values[i] == 0) s.values[i] = 1;
        grid.sync();
        unsigned* const flag = s.flag + ended % 3;
        bool found = false;
        for (unsigned i = first; i < s.n; i += stride) found |= s.values[i] > ended + 1;
        if (__any_sync(~0u, found) && threadIdx.x % 32 == 0) *flag = 1;
        if (first == 0) s.flag[(ended + 1) % 3] = 0;
        grid.sync();
        goes_on = *static_cast<volatile unsigned*>(flag) != 0;
        ++ended;
    }
    if (first == 0) *s.ended = ended;
}

// As many blocks as run at the same time, or as many as there is work for.
void run_resident(Loop& loop, unsigned most)
{
    check(cudaMemsetAsync(loop.state.flag, 0, 3 * sizeof(unsigned), loop.stream));
    void* arguments[] = {&loop.state};
    const unsigned blocks = loop.blocks < most ? loop.blocks : most;
    const void* kernel = reinterpret_cast<const void*>(resident);
    check(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(THREADS), arguments, 0, loop.stream));
    loop.stream.synchronize();
}

template <class Run>
double time_loop(Loop& loop, unsigned iterations, Run run)
{
    const double time = median_host_ns(5, run, [&] { loop.stream.synchronize(); });
    check(cudaGetLastError());
    if (loop.ended() != iterations) throw Failure{cudaErrorUnknown};
    return time / iterations;
}

}  // namespace

// Nanoseconds of one iteration; the host tests.
EXPORT double loop_by_host(std::uint64_t n, std::uint32_t iterations)
{
    return guarded([&] {
        Loop loop(static_cast<unsigned>(n), iterations);
        return time_loop(loop, iterations, [&] { run_by_host(loop); });
    });
}

// Nanoseconds of one iteration; the device tests.
EXPORT double loop_by_graph(std::uint64_t n, std::uint32_t iterations)
{
    return guarded([&] {
        Loop loop(static_cast<unsigned>(n), iterations);
        const WhileGraph graph(loop);
        return time_loop(loop, iterations, [&] { graph.run(loop); });
    });
}

// Nanoseconds of one iteration in a kernel that stays on the device.
EXPORT double loop_by_kernel(std::uint64_t n, std::uint32_t iterations)
{
    return guarded([&] {
        Loop loop(static_cast<unsigned>(n), iterations);
        int device = 0, processors = 0, each = 0;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, resident, THREADS, 0));
        const unsigned most = static_cast<unsigned>(processors * each);
        return time_loop(loop, iterations, [&] { run_resident(loop, most); });
    });
}
