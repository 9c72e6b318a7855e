#include "plugin/executor/node_types.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"

namespace lowtide::executor {

namespace {

std::vector<NodeDesc> descriptions(const std::vector<NodeType>& types) {
    std::vector<NodeDesc> descs;
    for (const NodeType& type : types) {
        if (!type.spec || !type.run) {
            throw Error(ErrorKind::Internal,
                        message("node type {} has no spec() or no run()", type.desc.id));
        }
        descs.push_back(type.desc);
    }
    return descs;
}

std::map<std::string, NodeType> byId(std::vector<NodeType> types) {
    std::map<std::string, NodeType> map;
    for (NodeType& type : types) {
        std::string id = type.desc.id;
        map.emplace(std::move(id), std::move(type));
    }
    return map;
}

}  // namespace

NodeTypes::NodeTypes(std::vector<NodeType> types)
    : types_(byId(types)), catalog_(descriptions(types)) {}

const NodeType& NodeTypes::of(const NodeDesc& desc) const {
    return types_.at(desc.id);
}

namespace {

[[noreturn]] void refuseUndeclared(const NodeDesc& desc, const char* what, std::string_view id) {
    throw Error(
        ErrorKind::Internal,
        message("{} used the {} \"{}\", which its description does not have", desc.id, what, id),
        {},
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

std::optional<Issue> attempt(std::string_view node, const std::function<void()>& action) {
    try {
        action();
        return std::nullopt;
    } catch (const CodedError& error) {
        return Issue{Severity::Error,
                     error.code(),
                     std::string(node),
                     error.item(),
                     error.message(),
                     error.hint(),
                     error.facts()};
    } catch (const Error& error) {
        return Issue{Severity::Error,
                     std::string(codeOf(error.kind())),
                     std::string(node),
                     error.item(),
                     error.message(),
                     error.hint()};
    } catch (const std::exception& error) {
        return nodeBug(node, "", Message(std::string(firstLine(error.what()))));
    } catch (...) {
        return nodeBug(node, "", message("an exception of an unknown type was thrown"));
    }
}

bool isCancel(const Issue& issue) {
    return issue.code == codeOf(ErrorKind::Cancelled);
}

Issue nodeBug(std::string_view node, std::string_view item, Message problem) {
    return {Severity::Error,
            std::string(codeOf(ErrorKind::Internal)),
            std::string(node),
            std::string(item),
            std::move(problem),
            message("this is a bug of the program; please report it with the graph")};
}

}  // namespace lowtide::executor
