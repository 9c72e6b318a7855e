#include "ui/studio/memory_strip.hpp"

#include "ui/theme/theme.hpp"

namespace lowtide::ui {

namespace {

constexpr int kLeastWidth = Theme::space(40);
constexpr int kHeight = Theme::space(6);  ///< the status bar is no higher than its texts

}  // namespace

MemoryStrip::MemoryStrip(QWidget* parent) : QToolButton(parent) {
    setObjectName(QStringLiteral("need"));
    setAutoRaise(true);
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFixedHeight(kHeight);
    showNeed();
}

void MemoryStrip::setPlanned(const Planned& planned, const NodeNames& names) {
    need_ = memoryLineOf(planned, names);
    showNeed();
}

void MemoryStrip::setHeld(const QString& held) {
    held_ = held;
    refresh();
}

void MemoryStrip::setBusy(bool isBusy) {
    isBusy_ = isBusy;
    refresh();
}

QSize MemoryStrip::minimumSizeHint() const {
    return QToolButton::minimumSizeHint().boundedTo({kLeastWidth, QWIDGETSIZE_MAX});
}

void MemoryStrip::showNeed() {
    setIcon(
        Theme::current().icon(need_.fits ? "memory" : "warning", need_.fits ? "text" : "warning"));
    refresh();
}

void MemoryStrip::refresh() {
    const QString need = !need_.text.isEmpty() ? need_.text
                         : isBusy_             ? tr("The plan follows the run")
                                               : tr("No plan yet");
    const QString line = held_.isEmpty() ? need : tr("%1 · %2").arg(need, held_);
    setText(line);
    const QString detail =
        need_.detail.isEmpty() ? tr("What the next run needs, and of how much") : need_.detail;
    setToolTip(tr("%1\n%2").arg(line, detail));
}

}  // namespace lowtide::ui
