#include "ui/bridge/node_defaults.hpp"

#include "plugin/graph/param_value.hpp"
#include "ui/bridge/answer.hpp"

namespace lowtide::ui {

Json NodeDefaults::of(const std::string& type, const std::string& param) const {
    return memberIn(memberIn(settings_.preferences().nodeDefaults, type.c_str()), param.c_str());
}

void NodeDefaults::set(const std::string& type, const std::string& param, const Json& value) {
    settings_.change(
        [&](Preferences& preferences) { preferences.nodeDefaults[type][param] = value; });
}

void NodeDefaults::forget(const std::string& type, const std::string& param) {
    settings_.change([&](Preferences& preferences) {
        const auto ofType = preferences.nodeDefaults.find(type);
        if (ofType != preferences.nodeDefaults.end()) {
            ofType->erase(param);
            if (ofType->empty()) {
                preferences.nodeDefaults.erase(ofType);
            }
        }
    });
}

void NodeDefaults::applyTo(graph::DocumentNode& node, const NodeDesc& desc) const {
    for (const ParamDesc& param : desc.params) {
        const Json value = of(desc.id, param.id);
        if (!value.is_null() && std::holds_alternative<Scalar>(graph::checkParam(param, value))) {
            node.params[param.id] = value;
        }
    }
}

}  // namespace lowtide::ui
