#include "ui/studio/preset_needs.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::ui {

PresetNeeds::PresetNeeds(const PresetStore& presets,
                         Runner& runner,
                         const Planning& planning,
                         QObject* parent)
    : QObject(parent), presets_(presets), runner_(runner), planning_(planning) {}

void PresetNeeds::ask(const QString& id) {
    wanted_ = id;
    graph::Document document;
    try {
        document = presets_.open(id);
    } catch (const Error&) {
        return;  // the browser shows why it cannot be opened
    }
    Json options = planning_.options();
    options.erase("graphFolder");  // a preset names the files beside it by their full path
    background_.run([this, id, document = std::move(document), options] {
        const auto needs = std::make_shared<Planned>(askModule(runner_, document, options));
        return [this, id, needs] {
            if (id == wanted_) {
                Q_EMIT answered(id, *needs);
            }
        };
    });
}

}  // namespace lowtide::ui
