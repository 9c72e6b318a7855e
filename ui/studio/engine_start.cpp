#include "ui/studio/engine_start.hpp"

#include "plugin/base/error.hpp"
#include "ui/language/module_texts.hpp"

#include <exception>

namespace lowtide::ui {

namespace {

struct Answer {
    Plugin* plugin = nullptr;
    QString message{};
    QString hint{};
};

Answer tryOpen(const OpenModule& open) noexcept {
    try {
        return {.plugin = &open()};
    } catch (const Error& error) {
        return {.message = errorText(error), .hint = moduleSentence(error.hint())};
    } catch (const std::exception& error) {
        return {.message = QString::fromUtf8(error.what())};
    }
}

}  // namespace

EngineStart::EngineStart(OpenModule open, QObject* parent)
    : QObject(parent), open_(std::move(open)) {}

void EngineStart::begin() {
    if (isTrying_) {
        return;
    }
    isTrying_ = true;
    background_.run([this, open = open_] {
        const Answer answer = tryOpen(open);
        return [this, answer] {
            isTrying_ = false;
            if (answer.plugin) {
                Q_EMIT started(answer.plugin);
            } else {
                Q_EMIT refused(answer.message, answer.hint);
            }
        };
    });
}

}  // namespace lowtide::ui
