#include "ui/panels/queue_delegate.hpp"

#include "ui/panels/chart_parts.hpp"
#include "ui/panels/queue_rows.hpp"
#include "ui/theme/theme.hpp"

#include <QPainter>

namespace lowtide::ui {

namespace {

constexpr int kRunMargin = 5;
constexpr int kRunPicture = 34;
constexpr int kRunLine = kRunPicture / 2;
constexpr int kRunBar = 3;  ///< below both lines

const char* iconOf(const QueuedRun& run) {
    switch (run.state) {
        case RunState::Waiting:
            return "clock";
        case RunState::Running:
            return "play";
        case RunState::Finished:
            return "check";
        case RunState::Failed:
            return "error";
        case RunState::Cancelled:
            return "stop";
    }
    return "clock";
}

const char* runColour(const QueuedRun& run) {
    return run.state == RunState::Failed     ? "error"
           : run.state == RunState::Finished ? "success"
           : run.state == RunState::Running  ? "accent"
                                             : "text.muted";
}

void paintPicture(QPainter& painter, const QRect& place, const QueuedRun& run) {
    const Theme& theme = Theme::current();
    painter.fillRect(place, theme.colour("field"));
    const QImage& picture = hasEnded(run) ? run.thumbnail : run.picture.image;
    if (picture.isNull()) {
        theme.icon(iconOf(run), runColour(run))
            .paint(&painter, place.adjusted(9, 9, -9, -9), Qt::AlignCenter);
        return;
    }
    const QSize size = picture.size().scaled(place.size(), Qt::KeepAspectRatio);
    QRect target(QPoint(0, 0), size);
    target.moveCenter(place.center());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(target, picture);
}

}  // namespace

QSize QueueDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {Theme::space(50), kRunPicture + 2 * kRunMargin};
}

void QueueDelegate::paint(QPainter* painter,
                          const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* rows = qobject_cast<const QueueRows*>(index.model());
    const QueuedRun* run = rows ? rows->runAt(index) : nullptr;
    if (!run) {
        return;
    }
    const Theme& theme = Theme::current();
    painter->save();
    paintRowGround(*painter, option);
    const QRect place(
        option.rect.left() + kRunMargin, option.rect.top() + kRunMargin, kRunPicture, kRunPicture);
    paintPicture(*painter, place, *run);
    QRectF text =
        QRectF(option.rect).adjusted(kRunPicture + 2.0 * kRunMargin, kRunMargin, -kRunMargin, 0);
    text.setHeight(kRunLine);
    paintText(*painter, text, run->title, "strong", "text");
    text.translate(0, kRunLine);
    paintText(*painter,
              text,
              stateText(*run),
              "small",
              run->state == RunState::Failed ? "error" : "text.muted");
    if (run->state == RunState::Running) {
        QRectF bar(text.left(), place.bottom() + 1, text.width(), kRunBar);
        painter->fillRect(bar, theme.colour("field"));
        bar.setWidth(bar.width() * run->progress);
        painter->fillRect(bar, theme.colour("node.running"));
    }
    painter->restore();
}

}  // namespace lowtide::ui
