#include "ui/document/layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace lowtide::ui {

namespace {

constexpr int kSweeps = 12;
/// A wire that crosses more layers lies on top of everything anyway; its bends would only cost
/// time.
constexpr size_t kMostBends = 12;

std::vector<size_t> layersOf(const std::vector<size_t>& order, const std::vector<Edge>& edges) {
    std::vector<std::vector<size_t>> behind(order.size());
    std::vector<bool> isFed(order.size(), false);
    for (const auto& [from, to] : edges) {
        behind[from].push_back(to);
        isFed[to] = true;
    }
    std::vector<size_t> layerOf(order.size(), 0);
    for (const size_t vertex : order) {
        for (const size_t next : behind[vertex]) {
            layerOf[next] = std::max(layerOf[next], layerOf[vertex] + 1);
        }
    }
    for (size_t vertex = 0; vertex < order.size(); ++vertex) {
        size_t nearest = std::numeric_limits<size_t>::max();
        for (const size_t next : behind[vertex]) {
            nearest = std::min(nearest, layerOf[next]);
        }
        if (!isFed[vertex] && !behind[vertex].empty()) {
            layerOf[vertex] = nearest - 1;
        }
    }
    return layerOf;
}

size_t addBend(Layers& layers, size_t layer) {
    layers.layerOf.push_back(layer);
    layers.predecessors.emplace_back();
    layers.successors.emplace_back();
    return layers.layerOf.size() - 1;
}

void addEdge(Layers& layers, size_t edge, size_t from, size_t to) {
    const size_t span = layers.layerOf[to] - layers.layerOf[from];
    if (span > kMostBends) {
        return;
    }
    size_t last = from;
    for (size_t step = 1; step <= span; ++step) {
        const bool isEnd = step == span;
        const size_t next = isEnd ? to : addBend(layers, layers.layerOf[from] + step);
        layers.successors[last].push_back(next);
        layers.predecessors[next].push_back(last);
        if (!isEnd) {
            layers.bendsOf[edge].push_back(next);
        }
        last = next;
    }
}

std::vector<size_t> positionsOf(const Layers& layers) {
    std::vector<size_t> positions(layers.layerOf.size());
    for (const std::vector<size_t>& layer : layers.order) {
        for (size_t index = 0; index < layer.size(); ++index) {
            positions[layer[index]] = index;
        }
    }
    return positions;
}

/// Sorts one layer by the mean position of the neighbours of each vertex.
void sortLayer(std::vector<size_t>& layer,
               const std::vector<std::vector<size_t>>& neighbours,
               std::vector<size_t>& positions) {
    std::vector<std::pair<double, size_t>> entries;
    for (const size_t vertex : layer) {
        double sum = 0;
        for (const size_t neighbour : neighbours[vertex]) {
            sum += static_cast<double>(positions[neighbour]);
        }
        const bool isFree = neighbours[vertex].empty();
        entries.emplace_back(isFree ? static_cast<double>(positions[vertex])
                                    : sum / static_cast<double>(neighbours[vertex].size()),
                             vertex);
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (size_t index = 0; index < entries.size(); ++index) {
        layer[index] = entries[index].second;
        positions[layer[index]] = index;
    }
}

void sweep(Layers& layers, bool isDownward) {
    std::vector<size_t> positions = positionsOf(layers);
    const size_t count = layers.order.size();
    for (size_t step = 1; step < count; ++step) {
        const size_t layer = isDownward ? step : count - 1 - step;
        sortLayer(
            layers.order[layer], isDownward ? layers.predecessors : layers.successors, positions);
    }
}

/// Pairs of `targets` that stand in the wrong order, by merging.
size_t inversionsOf(std::vector<size_t>& targets, size_t begin, size_t end) {
    if (end - begin < 2) {
        return 0;
    }
    const size_t middle = (begin + end) / 2;
    size_t count = inversionsOf(targets, begin, middle) + inversionsOf(targets, middle, end);
    size_t right = middle;
    for (size_t left = begin; left < middle; ++left) {
        while (right < end && targets[right] < targets[left]) {
            ++right;
        }
        count += right - middle;
    }
    const auto at = [&](size_t index) {
        return targets.begin() + static_cast<std::ptrdiff_t>(index);
    };
    std::inplace_merge(at(begin), at(middle), at(end));
    return count;
}

constexpr double kColumnGap = 80;
constexpr double kRowGap = 40;
constexpr double kBendGap = 16;
constexpr double kPortsBelowTop = 48;
constexpr int kRounds = 8;
/// Wires that cross layers are kept straight before nodes come nearer to each other.
constexpr double kBendWeight = 4;

/// Vertices that stand directly on each other and move as one.
struct Block {
    double weight = 0;
    double weightedSum = 0;
    size_t count = 0;

    double mean() const { return weightedSum / weight; }
};

class LayerPositioning {
public:
    LayerPositioning(const Layers& layers, const std::vector<Point>& sizes)
        : layers_(layers), sizes_(sizes), tops_(layers.layerOf.size(), 0) {}

    std::vector<double> tops() {
        for (const std::vector<size_t>& layer : layers_.order) {
            settle(layer, std::vector<double>(layer.size(), 0));
        }
        for (int round = 0; round < kRounds; ++round) {
            const size_t count = layers_.order.size();
            for (size_t step = 1; step < count; ++step) {
                pull(layers_.order[step], layers_.predecessors);
            }
            for (size_t step = 1; step < count; ++step) {
                pull(layers_.order[count - 1 - step], layers_.successors);
            }
        }
        return tops_;
    }

private:
    bool isBend(size_t vertex) const { return vertex >= layers_.realCount; }

    double heightOf(size_t vertex) const { return isBend(vertex) ? 0 : sizes_[vertex].y; }

    double wireOf(size_t vertex) const { return isBend(vertex) ? 0 : wireHeight(sizes_[vertex]); }

    double gapBetween(size_t above, size_t below) const {
        return isBend(above) && isBend(below) ? kBendGap : kRowGap;
    }

    void pull(const std::vector<size_t>& layer,
              const std::vector<std::vector<size_t>>& neighbours) {
        std::vector<double> wanted;
        for (const size_t vertex : layer) {
            double sum = 0;
            for (const size_t neighbour : neighbours[vertex]) {
                sum += tops_[neighbour] + wireOf(neighbour);
            }
            wanted.push_back(neighbours[vertex].empty()
                                 ? tops_[vertex]
                                 : sum / static_cast<double>(neighbours[vertex].size()) -
                                       wireOf(vertex));
        }
        settle(layer, wanted);
    }

    /// The positions closest to the wanted ones (weighted least squares) that keep order and gaps:
    /// an isotonic regression, solved by pooling adjacent violators.
    void settle(const std::vector<size_t>& layer, const std::vector<double>& wanted) {
        std::vector<Block> blocks;
        std::vector<double> offsets;  // of each vertex when all stand directly on each other
        for (size_t index = 0; index < layer.size(); ++index) {
            const size_t above = index == 0 ? 0 : layer[index - 1];
            offsets.push_back(index == 0 ? 0
                                         : offsets.back() + heightOf(above) +
                                               gapBetween(above, layer[index]));
            const double weight = isBend(layer[index]) ? kBendWeight : 1;
            blocks.push_back({weight, weight * (wanted[index] - offsets[index]), 1});
            while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
                const Block lower = blocks.back();
                blocks.pop_back();
                blocks.back().weight += lower.weight;
                blocks.back().weightedSum += lower.weightedSum;
                blocks.back().count += lower.count;
            }
        }
        size_t index = 0;
        for (const Block& block : blocks) {
            for (size_t end = index + block.count; index < end; ++index) {
                tops_[layer[index]] = block.mean() + offsets[index];
            }
        }
    }

    const Layers& layers_;
    const std::vector<Point>& sizes_;
    std::vector<double> tops_;
};

std::vector<Point> columnsOf(const Layers& layers, const std::vector<Point>& sizes) {
    std::vector<Point> columns;
    double left = 0;
    for (const std::vector<size_t>& layer : layers.order) {
        double width = 0;
        for (const size_t vertex : layer) {
            width = std::max(width, vertex < layers.realCount ? sizes[vertex].x : 0);
        }
        columns.push_back({left, left + width});
        left += width + kColumnGap;
    }
    return columns;
}

}  // namespace

std::vector<size_t> topologicalOrder(size_t count, const std::vector<Edge>& edges) {
    std::vector<std::vector<size_t>> behind(count);
    std::vector<size_t> waitsFor(count, 0);
    for (const auto& [from, to] : edges) {
        behind[from].push_back(to);
        ++waitsFor[to];
    }
    std::set<std::pair<size_t, size_t>> open;  // by what a vertex still waits for, then by number
    for (size_t vertex = 0; vertex < count; ++vertex) {
        open.insert({waitsFor[vertex], vertex});
    }
    std::vector<size_t> order;
    while (!open.empty()) {
        size_t next = open.begin()->second;
        if (open.begin()->first > 0) {
            next = std::min_element(open.begin(), open.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                   })->second;
        }
        open.erase({waitsFor[next], next});
        order.push_back(next);
        for (const size_t vertex : behind[next]) {
            if (open.erase({waitsFor[vertex], vertex}) > 0) {
                open.insert({--waitsFor[vertex], vertex});
            }
        }
    }
    return order;
}

size_t crossingsOf(const Layers& layers) {
    const std::vector<size_t> positions = positionsOf(layers);
    size_t count = 0;
    for (const std::vector<size_t>& layer : layers.order) {
        std::vector<size_t> targets;
        for (const size_t vertex : layer) {
            std::vector<size_t> mine;
            for (const size_t next : layers.successors[vertex]) {
                mine.push_back(positions[next]);
            }
            std::sort(mine.begin(), mine.end());
            targets.insert(targets.end(), mine.begin(), mine.end());
        }
        count += inversionsOf(targets, 0, targets.size());
    }
    return count;
}

Layers makeLayers(size_t vertexCount, const std::vector<Edge>& edges) {
    const std::vector<size_t> order = topologicalOrder(vertexCount, edges);
    std::vector<size_t> rank(vertexCount);
    for (size_t index = 0; index < order.size(); ++index) {
        rank[order[index]] = index;
    }
    std::vector<Edge> forward;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(forward), [&](const Edge& edge) {
        return rank[edge.first] < rank[edge.second];
    });
    Layers layers{.realCount = vertexCount, .layerOf = layersOf(order, forward)};
    layers.predecessors.resize(vertexCount);
    layers.successors.resize(vertexCount);
    layers.bendsOf.resize(edges.size());
    for (size_t edge = 0; edge < edges.size(); ++edge) {
        if (rank[edges[edge].first] < rank[edges[edge].second]) {
            addEdge(layers, edge, edges[edge].first, edges[edge].second);
        }
    }
    const auto last = std::max_element(layers.layerOf.begin(), layers.layerOf.end());
    layers.order.resize(last == layers.layerOf.end() ? 0 : *last + 1);
    for (size_t vertex = 0; vertex < layers.layerOf.size(); ++vertex) {
        layers.order[layers.layerOf[vertex]].push_back(vertex);
    }
    std::vector<std::vector<size_t>> best = layers.order;
    size_t fewest = crossingsOf(layers);
    for (int step = 0; step < kSweeps && fewest > 0; ++step) {
        sweep(layers, step % 2 == 0);
        if (const size_t crossings = crossingsOf(layers); crossings < fewest) {
            fewest = crossings;
            best = layers.order;
        }
    }
    layers.order = std::move(best);
    return layers;
}

double wireHeight(Point size) {
    return std::min(size.y / 2, kPortsBelowTop);
}

LayerPositions positionLayers(const Layers& layers, const std::vector<Point>& sizes) {
    LayerPositions positions{.columns = columnsOf(layers, sizes)};
    const std::vector<double> tops = LayerPositioning(layers, sizes).tops();
    double top = std::numeric_limits<double>::max();
    for (size_t vertex = 0; vertex < layers.realCount; ++vertex) {
        top = std::min(top, tops[vertex]);
    }
    for (size_t vertex = 0; vertex < tops.size(); ++vertex) {
        const double y = tops[vertex] - top;
        positions.topLefts.push_back({positions.columns[layers.layerOf[vertex]].x, y});
        positions.height =
            std::max(positions.height, y + (vertex < layers.realCount ? sizes[vertex].y : 0));
    }
    return positions;
}

}  // namespace lowtide::ui
