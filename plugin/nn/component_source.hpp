#pragma once
// What gives the stages their networks: a checkpoint, the file of an upscaler. Torch-free.

#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/wire_value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
struct FamilyPrecision;
}  // namespace lowtide::memory

namespace at {
class Tensor;
}

namespace lowtide::models {

/// One network as its source states it.
struct ComponentDesc {
    std::string role;   ///< "text_encoder", "denoiser", ...: as policies, plans and reports name it
    std::string label;  ///< for users: "Text encoder"
};

/// A value on a wire that holds networks: trees and settings, never a weight. Immutable.
class ComponentSource : public memory::WireValue,
                        public std::enable_shared_from_this<ComponentSource> {
public:
    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override { return shared_from_this(); }

    /// Of its file or folder, for users.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Every file that was read, or will be.
    [[nodiscard]] virtual const std::vector<memory::WeightFile>& files() const = 0;
    /// All of them, in the order in which a prompt meets them. Opens nothing.
    [[nodiscard]] virtual std::vector<ComponentDesc> components() const = 0;
    /// nullptr where there is no such component. May open its files, for their headers.
    /// Error{Corrupt}, Error{Unsupported} name file and tensor. Any thread.
    [[nodiscard]] virtual std::shared_ptr<const memory::ComponentTree> tree(
        std::string_view role) const = 0;
    /// As tree(), but nullptr too where tree() was not asked for yet and would have to open files.
    [[nodiscard]] virtual std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const = 0;
    /// What is stated about precision.
    [[nodiscard]] virtual const memory::FamilyPrecision& precisions() const = 0;
};

/// What gives the tree of one component.
struct TreeSource {
    using Tree = std::shared_ptr<const memory::ComponentTree>;

    std::string role;
    std::function<Tree()> tree;        ///< as ComponentSource::tree()
    std::function<Tree()> openedTree;  ///< as ComponentSource::openedTree()
};

/// Of a network that is open, in its tree's role.
[[nodiscard]] TreeSource openedSource(TreeSource::Tree tree);

/// Whether it has a component that `pattern` means.
[[nodiscard]] bool hasRole(const ComponentSource& source, std::string_view pattern);

/// The roles of the components that `pattern` means (memory::matchesRole), in their order.
/// Error{Unsupported} on port "model" where there are none.
[[nodiscard]] std::vector<std::string> rolesIn(const ComponentSource& source,
                                               std::string_view pattern);

/// The tree of a role. Error{Unsupported} on port "model" where there is none; and those of
/// ComponentSource::tree().
[[nodiscard]] std::shared_ptr<const memory::ComponentTree> treeIn(const ComponentSource& source,
                                                                  std::string_view role);

struct StageContext;

/// Role of an upscaler's component tree.
inline constexpr std::string_view kUpscaler = "upscaler";

[[nodiscard]] inline ComponentDesc upscalerComponent() {
    return {.role = std::string(kUpscaler), .label = "Upscaler"};
}

/// Facts of an upscaler that need no weight.
struct UpscalerInfo {
    std::string network;   ///< "RRDBNet"
    std::string name;      ///< of its file, for users
    int64_t scale = 1;     ///< pixels of the result for one of the image, along a side
    int64_t multiple = 1;  ///< of which both sides must be
    std::vector<memory::WeightFile> files;
};

/// One upscaler of one file, of one component. Immutable.
class Upscaler : public ComponentSource {
public:
    [[nodiscard]] std::string_view type() const override { return "UPSCALER"; }

    [[nodiscard]] const std::string& name() const override { return info().name; }

    [[nodiscard]] const std::vector<memory::WeightFile>& files() const override {
        return info().files;
    }

    [[nodiscard]] std::vector<ComponentDesc> components() const override {
        return {upscalerComponent()};
    }

    [[nodiscard]] std::shared_ptr<const memory::ComponentTree> openedTree(
        std::string_view role) const override {
        return tree(role);
    }

    [[nodiscard]] virtual const UpscalerInfo& info() const = 0;
    /// Images [B, 3, H, W] in 0..1, both sides multiples of info().multiple -> [B, 3, scale H,
    /// scale W], about 0..1, in memory of their own.
    [[nodiscard]] virtual at::Tensor enlarge(StageContext& context,
                                             const at::Tensor& pixels) const = 0;
};

}  // namespace lowtide::models
