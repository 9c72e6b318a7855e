#include "ui/bridge/engine.hpp"

#include "plugin/base/error.hpp"
#include "ui/language/module_texts.hpp"

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

void* Engine::extension(const char* id) const {
    return plugin_.extension(id);
}

}  // namespace lowtide::ui
