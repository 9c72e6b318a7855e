#pragma once
// What gives the stages their networks: a checkpoint, the file of an upscaler. Torch-free.

#include "plugin/memory/weight_file.hpp"
#include "plugin/memory/wire_value.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lowtide::memory {
struct ComponentTree;
struct FamilyPrecision;
}  // namespace lowtide::memory

namespace lowtide::models {

/// One network as its source states it.
struct ComponentDesc {
    std::string role;   ///< "text_encoder", "denoiser", ...: what policies, plans and reports say
    std::string label;  ///< for people: "Text encoder"
};

/// A value on a wire that holds networks: trees and settings, never a weight. Immutable.
class ComponentSource : public memory::WireValue,
                        public std::enable_shared_from_this<ComponentSource> {
public:
    [[nodiscard]] Bytes bytesOn(std::string_view) const override { return 0; }

    [[nodiscard]] memory::WireRef onHost() const override { return shared_from_this(); }

    /// Of its file or folder, for people.
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
    /// What is stated of precision.
    [[nodiscard]] virtual const memory::FamilyPrecision& precisions() const = 0;
};

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

}  // namespace lowtide::models
