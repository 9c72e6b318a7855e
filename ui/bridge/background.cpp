#include "ui/bridge/background.hpp"

namespace lowtide::ui {

Background::Background(QObject* parent) : QObject(parent) {
    pool_.setMaxThreadCount(1);
}

Background::~Background() {
    pool_.clear();
    finish();
}

void Background::run(Job job) {
    later(
        this,
        [this, work = std::move(job)] {
            const std::lock_guard lock(working_);
            return work();
        },
        [](const Answer& answer) {
            if (answer) {
                answer();
            }
        },
        pool_);
}

void Background::finish() {
    pool_.waitForDone();
    const std::lock_guard lock(working_);  // the thread sanitizer does not see how Qt waits
}

}  // namespace lowtide::ui
