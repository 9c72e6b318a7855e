#include "ui/bridge/engine.hpp"

#include "plugin/base/error.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/language/module_texts.hpp"

namespace lowtide::ui {

namespace {

std::set<std::string, std::less<>> callsOf(const Plugin& plugin) {
    const Json info = answerOf(std::string(plugin.info()));
    std::set<std::string, std::less<>> names;
    for (const Json& name : memberIn(info, "calls")) {
        if (name.is_string()) {
            names.insert(name.get<std::string>());
        }
    }
    return names;
}

}  // namespace

Engine::Engine(Plugin& plugin, AtEnd atEnd)
    : plugin_(plugin),
      atEnd_(atEnd),
      catalog_(std::vector<NodeDesc>(plugin.nodes().begin(), plugin.nodes().end())),
      calls_(callsOf(plugin)) {
    if (!plugin.runner()) {
        throw Error(ErrorKind::Internal,
                    message("the module was not started, so it has no runner"));
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

Status Engine::call(const char* name,
                    const Json& request,
                    std::string& result,
                    Watch* watch) const {
    return plugin_.call(name, request.dump(), watch, result);
}

}  // namespace lowtide::ui
