#include "ui/bridge/preset_needs.hpp"

#include "ui/bridge/answer.hpp"

#include <QFileInfo>

namespace lowtide::ui {

namespace {

/// Of the other thread.
Planned planOf(Runner& runner, const std::string& graph, const std::string& options) {
    std::string text;
    const Status status = runner.plan(graph, options, text);
    const Json answer = answerOf(text);
    return {.issues = issuesFromJson(memberIn(answer, "issues")),
            .plan = status == Status::Ok ? memberIn(answer, "plan") : Json(),
            .isFresh = true};
}

}  // namespace

PresetNeeds::PresetNeeds(Runner& runner, const PresetStore& store, QObject* parent)
    : QObject(parent), runner_(runner), store_(store) {}

void PresetNeeds::setOptions(const Json& options) {
    if (options != options_) {
        options_ = options;
        if (!last_.isEmpty()) {
            ask(last_);
        }
    }
}

void PresetNeeds::ask(const QString& id) {
    const int number = ++lastNumber_;
    last_ = id;
    std::string graph;
    try {
        graph = graph::toText(store_.open(id));
    } catch (const Error&) {
        return;  // the entry says what is wrong with it
    }
    Json options = options_;
    options["graphFolder"] = QFileInfo(store_.find(id)->path).absolutePath().toStdString();
    background_.run([this, number, id, graph, text = options.dump()]() -> Background::Answer {
        return [this, number, id, needs = planOf(runner_, graph, text)] {
            if (number == lastNumber_) {
                Q_EMIT answered(id, needs);
            }
        };
    });
}

}  // namespace lowtide::ui
