#include "plugin/executor/declared.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::executor {

namespace {

[[noreturn]] void refuseUndeclared(const NodeDesc& desc, const char* what, std::string_view id) {
    throw Error(ErrorKind::Internal,
                desc.id + " used the " + what + " \"" + std::string(id) +
                    "\", which its description does not have",
                "",
                std::string(id));
}

}  // namespace

const Scalar& paramOf(const graph::SnapshotNode& node, std::string_view id) {
    const auto found = node.params.find(id);
    if (found == node.params.end()) {
        refuseUndeclared(*node.desc, "parameter", id);
    }
    return found->second;
}

void requireInput(const NodeDesc& desc, std::string_view port) {
    if (!graph::findInput(desc, port)) {
        refuseUndeclared(desc, "input", port);
    }
}

void requireOutput(const NodeDesc& desc, std::string_view port) {
    if (!graph::findOutput(desc, port)) {
        refuseUndeclared(desc, "output", port);
    }
}

}  // namespace lowtide::executor
