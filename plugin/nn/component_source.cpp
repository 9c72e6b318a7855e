#include "plugin/nn/component_source.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/component_parts.hpp"
#include "plugin/memory/component_tree.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::models {

namespace {

[[noreturn]] void refuseRole(const ComponentSource& source, std::string_view pattern) {
    throw Error(ErrorKind::Unsupported,
                message("checkpoint {} has no {}", source.name(), pattern),
                message("choose another checkpoint"),
                "model");
}

}  // namespace

TreeSource openedSource(TreeSource::Tree tree) {
    std::string role = tree->role;
    const auto get = [opened = std::move(tree)] { return opened; };
    return {.role = std::move(role), .tree = get, .openedTree = get};
}

bool hasRole(const ComponentSource& source, std::string_view pattern) {
    const std::vector<ComponentDesc> all = source.components();
    return std::any_of(all.begin(), all.end(), [&](const ComponentDesc& component) {
        return memory::matchesRole(pattern, component.role);
    });
}

std::vector<std::string> rolesIn(const ComponentSource& source, std::string_view pattern) {
    std::vector<std::string> roles;
    for (ComponentDesc& component : source.components()) {
        if (memory::matchesRole(pattern, component.role)) {
            roles.push_back(std::move(component.role));
        }
    }
    if (roles.empty()) {
        refuseRole(source, pattern);
    }
    return roles;
}

std::shared_ptr<const memory::ComponentTree> treeIn(const ComponentSource& source,
                                                    std::string_view role) {
    std::shared_ptr<const memory::ComponentTree> tree = source.tree(role);
    if (!tree) {
        refuseRole(source, role);
    }
    return tree;
}

}  // namespace lowtide::models
