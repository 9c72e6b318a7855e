#include "ui/bridge/engine.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"

#include <algorithm>

namespace lowtide::ui {

Engine::Engine(Plugin& plugin, AtEnd atEnd)
    : plugin_(plugin),
      atEnd_(atEnd),
      catalog_(std::vector<NodeDesc>(plugin.nodes().begin(), plugin.nodes().end())) {
    if (!plugin.runner()) {
        throw Error(ErrorKind::Internal, "the module was not started, so it has no runner");
    }
    reword();
}

Engine::~Engine() {
    if (atEnd_ == AtEnd::StopsModule) {
        plugin_.runner()->stop();
    }
}

void Engine::reword() {
    catalog_.reword([](NodeDesc& desc) { ui::reword(desc); });
}

Runner& Engine::runner() const {
    return *plugin_.runner();
}

bool Engine::canCall(std::string_view name) const {
    const Json info = answerOf(std::string(plugin_.info()));
    const Json& calls = memberIn(info, "calls");
    return std::find(calls.begin(), calls.end(), name) != calls.end();
}

Status Engine::call(const char* name,
                    const Json& request,
                    std::string& result,
                    Watch* watch) const {
    return plugin_.call(name, request.dump(), watch, result);
}

}  // namespace lowtide::ui
