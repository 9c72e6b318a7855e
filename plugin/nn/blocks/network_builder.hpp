#pragma once
// The weights that a file has, looked up by name, and the component tree that is built of them
// while a network is described. Torch-free.

#include "plugin/base/message.hpp"
#include "plugin/base/units.hpp"
#include "plugin/memory/component_parts.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
}

namespace lowtide::models {

/// Where a tensor's bytes lie.
struct TensorLocation {
    uint32_t file = 0;
    int64_t offset = 0;
    DType type = DType::F32;
    Shape shape;
    bool isRowMajor = true;  ///< else it is refused when a network uses it
    /// The file has the rows of the transpose; `shape` is that of the matrix as networks see it.
    bool isTransposed = false;
    std::optional<memory::Encoded> encoded{};  ///< then `type` is F32, and `shape` that of decoding

    /// Bytes of all elements, without those of companions.
    [[nodiscard]] Bytes bytes() const;
    /// Keeps rows [first, first + count) of the outermost size `axis` of `shape`; those before it
    /// are 1. Error{Unsupported}, which begins with `what`, where blocks would be cut.
    void takeRows(size_t axis, int64_t first, int64_t count, const std::string& what);
};

/// The tensors of one component by their names in the file, over one or several files.
struct WeightMap {
    std::string what;  ///< for messages: "unet"
    std::vector<memory::WeightFile> files;
    std::map<std::string, TensorLocation, std::less<>> tensors;
    /// From a name that our networks use to that in the file; empty where they are the same.
    std::function<std::string(std::string_view)> nameInFile{};
    /// For messages: what the weights must fit, and what to do where they do not.
    Message settings = phrase("its config.json");
    Message hint = phrase("get the weights and config.json of the same checkpoint");
    /// Set for a network that no checkpoint holds: the map has every weight that it asks for, but
    /// optional ones, in this type and its shape, at the beginning of the first file.
    std::optional<DType> everything{};
    bool mustBeFinite = false;  ///< NaN and infinity are refused where they are read
};

/// One weight of a leaf: its name below the leaf ("weight", "to_q.weight") and the shape that the
/// network needs.
struct WeightSpec {
    std::string name;
    Shape shape;
    bool optional = false;
    bool isMultiplied = false;  ///< as memory::Weight's
};

/// A matrix [out, in] that rows are multiplied with, and nothing else.
[[nodiscard]] inline WeightSpec matrixSpec(std::string name, int64_t in, int64_t out) {
    return {.name = std::move(name), .shape = {out, in}, .isMultiplied = true};
}

/// What becomes of a file's tensors that the network does not have.
enum class Surplus : uint8_t {
    Reported,  ///< named in the log and left out
    Refused    ///< for networks whose layout was inferred from the names
};

/// Describes a network to memory, leaf by leaf, in construction order.
class NetworkBuilder {
public:
    /// `weights` must outlive the builder. All floating weights get `computeType`.
    NetworkBuilder(std::string role,
                   std::string network,
                   const WeightMap& weights,
                   DType computeType);

    /// Adds a leaf whose weights are "<prefix><name>". A weight that the header lacks or that has
    /// another shape is remembered and reported by finish(); an optional one that is absent is left
    /// out. After a thousand missing ones Error{Corrupt} comes at once.
    memory::LeafId leaf(const std::string& prefix,
                        const std::vector<WeightSpec>& weights,
                        bool gathered = false);
    /// Whether the header has "<name>".
    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] Shape shapeOf(std::string_view name) const;

    /// Leaves added while the guard lives form a block; blocks nest.
    class BlockGuard {
    public:
        BlockGuard(NetworkBuilder& builder, std::string name);
        ~BlockGuard();
        BlockGuard(const BlockGuard&) = delete;
        BlockGuard& operator=(const BlockGuard&) = delete;

    private:
        NetworkBuilder& builder_;
        size_t index_;
    };

    /// The tree. Error{Corrupt} names the first ten missing or misshapen tensors and how many more,
    /// and also those that the network does not have. Where there are surplus ones alone,
    /// `surplus` decides. `ignored` are prefixes or names of tensors of which nothing is reported
    /// (position_ids).
    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> finish(
        const std::vector<std::string>& ignored, Surplus surplus = Surplus::Reported);

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Blocks "<stem>0", "<stem>1" ... of a network, each made of the builder, its name and `args`.
template <class Layer, class... Args>
std::vector<Layer> numberedBlocks(NetworkBuilder& builder,
                                  const std::string& stem,
                                  int64_t count,
                                  const Args&... args) {
    std::vector<Layer> made;
    for (int64_t i = 0; i < count; ++i) {
        const std::string name = stem + std::to_string(i);
        const NetworkBuilder::BlockGuard block(builder, name);
        made.emplace_back(builder, name, args...);
    }
    return made;
}

/// The shapes of a file's tensors, looked up by names that are put into the file's own.
class TensorView {
public:
    /// `map` must outlive it. `nameInFile` as WeightMap::nameInFile.
    TensorView(const WeightMap& map, std::function<std::string(std::string_view)> nameInFile)
        : map_(map), nameInFile_(std::move(nameInFile)) {}

    [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

    /// One size of a tensor that must be there. Error{Corrupt} names file and tensor.
    [[nodiscard]] int64_t size(const std::string& name, size_t axis) const;

    /// The number of axes of a tensor that must be there.
    [[nodiscard]] size_t rank(const std::string& name) const { return need(name).size(); }

    /// How many of name(0), name(1), ... are there without a gap.
    [[nodiscard]] int64_t count(const std::function<std::string(const std::string&)>& name) const;

    [[nodiscard]] const std::string& what() const { return map_.what; }

private:
    [[nodiscard]] const Shape* find(const std::string& name) const;
    [[nodiscard]] const Shape& need(const std::string& name) const;

    const WeightMap& map_;
    std::function<std::string(std::string_view)> nameInFile_;
};

}  // namespace lowtide::models
