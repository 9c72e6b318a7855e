#include "ui/panels/plan_bars.hpp"

#include "ui/access/announce.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"

#include <QKeyEvent>
#include <QMouseEvent>

#include <algorithm>
#include <cmath>
#include <map>

namespace lowtide::ui {

namespace {

StageBar barOf(const Json& stage, const Json& held, const Json& residencies) {
    StageBar bar{.node = textIn(stage, "node"),
                 .weights = bytesIn(held, "weights"),
                 .activations = bytesIn(held, "activations") + bytesIn(held, "workspace"),
                 .wires = bytesIn(held, "wires"),
                 .caches = bytesIn(held, "held"),
                 .staging = bytesIn(held, "staging"),
                 .moved = bytesIn(stage, "moved"),
                 .seconds = numberIn(stage, "seconds")};
    for (const Json& index : memberIn(stage, "stays")) {
        if (index.is_number_unsigned() && index.get<size_t>() < residencies.size()) {
            const Json& residency = residencies[index.get<size_t>()];
            bar.streamed += bytesIn(residency, "ring_bytes");
            bar.movedInForward += bytesIn(residency, "streamed_bytes_per_pass");
        }
    }
    bar.streamed = std::min(bar.streamed, bar.weights);
    return bar;
}

constexpr int kStageRow = Theme::space(5);
constexpr int kStageBar = Theme::space(2);
constexpr int kBudgetRow = Theme::space(5);
constexpr int kStageGap = Theme::space(2);
/// From this width on there is space for how much streams.
constexpr int kWideBars = Theme::space(110);
/// A budget of more than so many peaks is not painted to scale.
constexpr Bytes kBeyond = 8;

struct Part {
    Bytes bytes;
    const char* colour;
    bool isHatched;
};

std::vector<Part> partsOf(const StageBar& stage) {
    return {{stage.weights - stage.streamed, "chart.weights", false},
            {stage.streamed, "chart.weights", true},
            {stage.activations, "chart.activations", false},
            {stage.wires, "chart.wires", false},
            {stage.caches, "chart.caches", false},
            {stage.staging, "chart.staging", false}};
}

}  // namespace

int streamedPercent(const Json& plan, const std::string& device) {
    std::map<std::string, std::string> deviceOf;
    for (const Json& component : memberIn(plan, "components")) {
        deviceOf[textIn(component, "role")] = textIn(component, "device");
    }
    double streamed = 0;
    double all = 0;
    for (const Json& residency : memberIn(plan, "stays")) {
        if (deviceOf[textIn(residency, "role")] == device) {
            const double moved = numberIn(residency, "streamed_bytes_per_pass");
            streamed += moved;
            all += moved + numberIn(residency, "resident_bytes");
        }
    }
    return all > 0 ? static_cast<int>(std::lround(100 * streamed / all)) : 0;
}

std::optional<PlanView> planViewOf(const Json& plan) {
    const Json& devices = memberIn(plan, "devices");
    const Json& stages = memberIn(plan, "stages");
    const Json& residencies = memberIn(plan, "stays");
    if (!devices.is_array() || devices.empty() || !stages.is_array() || !residencies.is_array()) {
        return std::nullopt;
    }
    const Json& main = devices[0];
    PlanView view{.device = textIn(main, "device"),
                  .budget = bytesIn(main, "capacity"),
                  .peak = bytesIn(main, "peak"),
                  .minimum = bytesIn(main, "minimum"),
                  .isEstimated = memberIn(main, "estimated") == true,
                  .isRehearsal = memberIn(main, "rehearsal") == true,
                  .measuredOn = QString::fromStdString(textIn(main, "measured_on"))};
    for (const Json& stage : stages) {
        const StageBar bar =
            barOf(stage, memberIn(memberIn(stage, "devices"), view.device.c_str()), residencies);
        if (bar.total() > 0) {
            view.stages.push_back(bar);
        } else if (memberIn(stage, "has_networks") == true) {
            view.elsewhere.push_back(bar.node);
        }
    }
    return view;
}

PlanBars::PlanBars(QWidget* parent) : Chart("planBars", parent) {
    setAccessibleName(tr("Planned memory"));
    setFocusPolicy(Qt::StrongFocus);
}

QString PlanBars::spokenText() const {
    QStringList lines = {budget_ > 0 ? tr("budget %1").arg(bytesText(budget_)) : tr("no limit")};
    for (const StageBar& stage : plan_.stages) {
        lines << tr("%1: %2").arg(nameOf(stage.node), textOf(stage));
    }
    return lines.join(u'\n');
}

QStringList PlanBars::spokenActions() const {
    return plan_.stages.empty() ? QStringList()
                                : QStringList{QAccessibleActionInterface::pressAction(),
                                              QAccessibleActionInterface::nextPageAction(),
                                              QAccessibleActionInterface::previousPageAction()};
}

void PlanBars::act(const QString& action) {
    if (action == QAccessibleActionInterface::nextPageAction()) {
        moveTo(current_ + 1);
    } else if (action == QAccessibleActionInterface::previousPageAction()) {
        moveTo(current_ - std::min<size_t>(current_, 1));
    } else if (current_ < plan_.stages.size()) {
        Q_EMIT nodeActivated(plan_.stages[current_].node);
    }
}

/// Announces what a resting pointer would read there.
void PlanBars::moveTo(size_t stage) {
    if (plan_.stages.empty()) {
        return;
    }
    current_ = std::min(stage, plan_.stages.size() - 1);
    announce(*this, tipOf(plan_.stages[current_]));
    update();
}

void PlanBars::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Down:
            return moveTo(current_ + 1);
        case Qt::Key_Up:
            return moveTo(current_ - std::min<size_t>(current_, 1));
        case Qt::Key_Home:
            return moveTo(0);
        case Qt::Key_End:
            return moveTo(plan_.stages.size());
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            return act(QAccessibleActionInterface::pressAction());
        default:
            Chart::keyPressEvent(event);
    }
}

void PlanBars::focusInEvent(QFocusEvent* event) {
    Chart::focusInEvent(event);
    update();
}

void PlanBars::focusOutEvent(QFocusEvent* event) {
    Chart::focusOutEvent(event);
    update();
}

void PlanBars::setPlan(const PlanView& plan, Bytes budget) {
    plan_ = plan;
    current_ = std::min(current_, plan.stages.empty() ? 0 : plan.stages.size() - 1);
    budget_ = budget;
    refresh();
}

void PlanBars::setRunning(const std::string& node) {
    if (node != running_) {
        running_ = node;
        update();
    }
}

void PlanBars::setFresh(bool isFresh) {
    if (isFresh != isFresh_) {
        isFresh_ = isFresh;
        update();
    }
}

int PlanBars::heightNeeded() const {
    return kBudgetRow + static_cast<int>(plan_.stages.size()) * kStageRow +
           legendHeight(width(), legend());
}

std::vector<LegendEntry> PlanBars::legend() const {
    const Theme& theme = Theme::current();
    StageBar sum;
    for (const StageBar& stage : plan_.stages) {
        sum.weights += stage.weights;
        sum.streamed += stage.streamed;
        sum.activations += stage.activations;
        sum.wires += stage.wires;
        sum.caches += stage.caches;
        sum.staging += stage.staging;
    }
    const QStringList names = {tr("weights"),
                               tr("streamed"),
                               tr("activations"),
                               tr("wires"),
                               tr("kept results"),
                               tr("staging")};
    std::vector<LegendEntry> entries;
    qsizetype name = 0;
    for (const Part& part : partsOf(sum)) {
        if (part.bytes > 0) {
            entries.push_back({theme.colour(part.colour), names[name], part.isHatched});
        }
        ++name;
    }
    return entries;
}

QString PlanBars::textOf(const StageBar& stage) const {
    return stage.movedInForward > 0 && width() >= kWideBars
               ? tr("%1, streams %2 per forward pass")
                     .arg(bytesText(stage.total()), bytesText(stage.movedInForward))
               : bytesText(stage.total());
}

/// Names stand left of the bars, bytes right of them. The longer of budget and longest bar takes
/// the width between.
PlanBars::Scale PlanBars::scale() const {
    const QFontMetricsF names(Theme::current().font("strong"));
    const QFontMetricsF texts(Theme::current().font("small"));
    qreal left = 0;
    qreal right = 0;
    Bytes most = budget_;
    for (const StageBar& stage : plan_.stages) {
        left = std::max(left, names.horizontalAdvance(nameOf(stage.node)));
        right = std::max(right, texts.horizontalAdvance(textOf(stage)));
        most = std::max(most, stage.total());
    }
    left = std::ceil(std::min(left, width() * 0.3)) + kStageGap;
    right = std::ceil(right) + kStageGap;
    return {.track = {left,
                      (kStageRow - kStageBar) / 2.0,
                      std::max(1.0, width() - left - right),
                      kStageBar},
            .most = isFarBeyond() ? kBeyond * plan_.peak : most};
}

qreal PlanBars::Scale::lengthOf(Bytes bytes) const {
    const qreal fraction = most > 0 ? static_cast<double>(bytes) / static_cast<double>(most) : 0;
    return std::min(1.0, fraction) * track.width();
}

/// A budget far above all needs would make every bar a dot.
bool PlanBars::isFarBeyond() const {
    return plan_.peak > 0 && budget_ > kBeyond * plan_.peak;
}

qreal PlanBars::rowTop(size_t stage) const {
    return kBudgetRow + static_cast<qreal>(stage) * kStageRow;
}

QRectF PlanBars::barOf(size_t stage) const {
    const Scale scale = this->scale();
    QRectF bar = scale.track.translated(0, rowTop(stage));
    bar.setWidth(scale.lengthOf(plan_.stages[stage].total()));
    return bar;
}

qreal PlanBars::budgetX() const {
    const Scale scale = this->scale();
    return scale.track.left() + scale.lengthOf(budget_);
}

const StageBar* PlanBars::stageAt(QPointF point) const {
    const auto row = static_cast<qsizetype>((point.y() - kBudgetRow) / kStageRow);
    const bool isIn = point.y() >= kBudgetRow && row < static_cast<qsizetype>(plan_.stages.size());
    return isIn ? &plan_.stages[static_cast<size_t>(row)] : nullptr;
}

QString PlanBars::tipAt(QPointF point) const {
    const StageBar* stage = stageAt(point);
    return stage ? tipOf(*stage) : QString();
}

QString PlanBars::tipOf(const StageBar& stage) const {
    QStringList lines = {nameOf(stage.node),
                         tr("weights %1").arg(bytesText(stage.weights)),
                         tr("activations %1").arg(bytesText(stage.activations))};
    if (stage.wires + stage.caches + stage.staging > 0) {
        lines.push_back(tr("wires, kept results and staging %1")
                            .arg(bytesText(stage.wires + stage.caches + stage.staging)));
    }
    if (stage.movedInForward > 0) {
        lines.push_back(tr("streams %1 in each pass, %2 in all")
                            .arg(bytesText(stage.movedInForward), bytesText(stage.moved)));
    }
    return lines.join('\n');
}

void PlanBars::mouseReleaseEvent(QMouseEvent* event) {
    if (const StageBar* stage = stageAt(event->position())) {
        Q_EMIT nodeActivated(stage->node);
    }
}

void PlanBars::paintStage(QPainter& painter, size_t index, const Scale& scale) const {
    const Theme& theme = Theme::current();
    const StageBar& stage = plan_.stages[index];
    const bool isTooLarge = budget_ > 0 && stage.total() > budget_;
    const QRectF track = scale.track.translated(0, rowTop(index));
    const QRectF row(0, rowTop(index), width(), kStageRow);
    paintText(painter,
              row.adjusted(0, 0, track.left() - kStageGap - width(), 0),
              nameOf(stage.node),
              stage.node == running_ ? "strong" : "body",
              isTooLarge ? "error" : "text");
    paintText(painter,
              row.adjusted(track.right() + kStageGap, 0, 0, 0),
              textOf(stage),
              "small",
              isTooLarge ? "error" : "text.muted",
              Qt::AlignRight);
    paintTrack(painter, track);
    qreal x = track.left();
    for (const Part& part : partsOf(stage)) {
        const qreal length = scale.lengthOf(part.bytes);
        paintBar(painter,
                 QRectF(x, track.top(), length, kStageBar),
                 theme.colour(part.colour),
                 part.isHatched);
        x += length;
    }
    if (isTooLarge) {
        painter.setPen(QPen(theme.colour("error"), 1));
        painter.setBrush(Qt::NoBrush);
        const QRectF bar(track.topLeft(), QSizeF(scale.lengthOf(stage.total()), kStageBar));
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    } else if (stage.node == running_) {
        painter.fillRect(QRectF(track.left(), track.bottom() + 1, track.width(), 2),
                         theme.colour("node.running"));
    }
}

void PlanBars::paintBudget(QPainter& painter, const Scale& scale) const {
    const Theme& theme = Theme::current();
    const QRectF row(0, 0, width(), kBudgetRow);
    if (budget_ <= 0) {
        paintText(painter, row, tr("no limit"), "small", "text.muted", Qt::AlignRight);
        return;
    }
    const QString text = isFarBeyond() ? tr("budget %1, not to scale").arg(bytesText(budget_))
                                       : tr("budget %1").arg(bytesText(budget_));
    const qreal x = scale.track.left() + scale.lengthOf(budget_);
    const bool isLeft = x > width() / 2.0;
    paintText(painter,
              isLeft ? QRectF(0, 0, x - Theme::space(1), kBudgetRow)
                     : QRectF(x + Theme::space(1), 0, width() - x - Theme::space(1), kBudgetRow),
              text,
              "small",
              "text",
              isLeft ? Qt::AlignRight : Qt::AlignLeft);
    painter.setPen(QPen(theme.colour("text"), 1));
    const qreal at = std::floor(x) + 0.5;
    painter.drawLine(QPointF(at, Theme::space(1)), QPointF(at, kBudgetRow - 1));
    painter.drawLine(QPointF(at, kBudgetRow), QPointF(at, rowTop(plan_.stages.size()) - 1));
}

void PlanBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setOpacity(isFresh_ || Theme::current().isHighContrast() ? 1 : 0.6);
    const Scale scale = this->scale();
    for (size_t index = 0; index < plan_.stages.size(); ++index) {
        paintStage(painter, index, scale);
    }
    paintBudget(painter, scale);
    if (hasFocus() && current_ < plan_.stages.size()) {
        paintFocusRing(painter, QRectF(0, rowTop(current_), width(), kStageRow), Theme::space(1));
    }
    const qreal top = rowTop(plan_.stages.size());
    paintLegend(painter, QRectF(0, top, width(), height() - top), legend());
}

}  // namespace lowtide::ui
