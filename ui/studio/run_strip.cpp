#include "ui/studio/run_strip.hpp"

#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"

#include <QFontMetrics>
#include <QVBoxLayout>

#include <cmath>

namespace lowtide::ui {

namespace {

constexpr int kWidth = Theme::space(56);
constexpr int kBar = Theme::space(1);
constexpr int kFull = 1000;

}  // namespace

RunStrip::RunStrip(QWidget* parent)
    : QWidget(parent), bar_(new QProgressBar(this)), text_(new QLabel(this)) {
    setObjectName(QStringLiteral("runStrip"));
    setFixedWidth(kWidth);
    bar_->setObjectName(QStringLiteral("runBar"));
    bar_->setAccessibleName(tr("Progress of the run"));
    bar_->setRange(0, kFull);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(kBar);
    text_->setObjectName(QStringLiteral("runText"));
    text_->setFont(Theme::current().font("small"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(2), 0, Theme::space(2), 0);
    column->setSpacing(Theme::space(1));
    column->addStretch(1);
    column->addWidget(text_);
    column->addWidget(bar_);
    column->addStretch(1);
}

void RunStrip::setRun(const QueuedRun& run) {
    bar_->setValue(static_cast<int>(std::lround(run.progress * kFull)));
    const QString percent = tr("%1 %").arg(std::lround(run.progress * 100));
    const QString work = progressText(run.phase, run.secondsLeft);
    const QString whole = work.isEmpty() ? tr("running, %1").arg(percent) : work;
    const int room = kWidth - 2 * Theme::space(2);
    text_->setText(QFontMetrics(text_->font()).elidedText(whole, Qt::ElideRight, room));
    setToolTip(tr("%1\n%2: %3").arg(run.title, percent, whole));
}

}  // namespace lowtide::ui
