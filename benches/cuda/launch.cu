// What a launch costs the host: wall-clock time of empty kernels, one thread each.

#include "common.cuh"

namespace {

constexpr unsigned KERNELS = 7;

__global__ void empty() {}

void launch_kernels(cudaStream_t stream, unsigned count)
{
    for (unsigned i = 0; i < count; ++i) empty<<<1, 1, 0, stream>>>();
}

// Seven kernels captured once, instantiated once.
class Graph {
public:
    explicit Graph(const Stream& stream)
    {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        launch_kernels(stream, KERNELS);
        check(cudaStreamEndCapture(stream, &graph_));
        const cudaError_t instantiated = cudaGraphInstantiate(&executable_, graph_, 0);
        if (instantiated != cudaSuccess) {
            // The destructor does not run for an object whose constructor fails.
            cudaGraphDestroy(graph_);
            throw Failure{instantiated};
        }
    }
    ~Graph()
    {
        cudaGraphExecDestroy(executable_);
        cudaGraphDestroy(graph_);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

enum class Wait { AtTheEnd, EachTime };

// The time of one `enqueue()`: `count` of them and one wait, or a wait after each.
template <class Enqueue>
double time_enqueue(const Stream& stream, unsigned count, Wait wait, Enqueue enqueue)
{
    const double time = median_host_ns(
        count,
        [&] {
            enqueue();
            if (wait == Wait::EachTime) stream.synchronize();
        },
        [&] { stream.synchronize(); });
    check(cudaGetLastError());
    return time;
}

double time_launches(unsigned kernels, unsigned count, Wait wait)
{
    return guarded([&] {
        const Stream stream;
        return time_enqueue(stream, count, wait, [&] { launch_kernels(stream, kernels); });
    });
}

double time_graph(unsigned count, Wait wait)
{
    return guarded([&] {
        const Stream stream;
        const Graph graph(stream);
        return time_enqueue(stream, count, wait, [&] { graph.launch(stream); });
    });
}

}  // namespace

EXPORT double launch_empty() { return time_launches(1, 10'000, Wait::AtTheEnd); }
EXPORT double launch_empty_sync() { return time_launches(1, 1'000, Wait::EachTime); }
EXPORT double launch_sequence7() { return time_launches(KERNELS, 1'000, Wait::AtTheEnd); }
EXPORT double launch_sequence7_sync() { return time_launches(KERNELS, 1'000, Wait::EachTime); }
EXPORT double graph_sequence7() { return time_graph(1'000, Wait::AtTheEnd); }
EXPORT double graph_sequence7_sync() { return time_graph(1'000, Wait::EachTime); }
