#include "ui/theme/scrolled_part.hpp"

#include "ui/theme/theme.hpp"

#include <QEvent>
#include <QLayout>
#include <QScreen>
#include <QScrollBar>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kLeastPartHeight = Theme::space(16);
constexpr int kWindowFrame = 40;  ///< pixels: the title of a window, and a little air

/// Between area and content: a scroll area would give a content with wrapped texts the height that
/// it prefers, although less would do.
class Held : public QWidget {
public:
    explicit Held(QWidget* content) : content_(content) { content_->setParent(this); }

    [[nodiscard]] QSize sizeHint() const override { return content_->sizeHint(); }

    [[nodiscard]] QSize minimumSizeHint() const override {
        const QSize least = content_->minimumSizeHint().expandedTo(content_->minimumSize());
        const QLayout* layout = content_->layout();
        const int width = std::max(this->width(), least.width());
        return {least.width(),
                layout && layout->hasHeightForWidth() ? layout->minimumHeightForWidth(width)
                                                      : least.height()};
    }

protected:
    void resizeEvent(QResizeEvent*) override { content_->setGeometry(rect()); }

private:
    QWidget* content_;
};

}  // namespace

ScrolledPart::ScrolledPart(QWidget* content, QWidget* parent)
    : QScrollArea(parent), content_(content), least_(QWIDGETSIZE_MAX, kLeastPartHeight) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setWidgetResizable(true);
    setWidget(new Held(content));
    // What lies around it shows through; Qt would count it as hidden by an opaque part.
    widget()->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
    content_->show();
    content_->installEventFilter(this);
}

void ScrolledPart::setLeast(const QSize& size) {
    least_ = size;
    updateGeometry();
}

QSize ScrolledPart::sizeHint() const {
    return content_->sizeHint().expandedTo(minimumSizeHint());
}

QSize ScrolledPart::minimumSizeHint() const {
    const QSize bars(verticalScrollBar()->sizeHint().width(), 0);
    return (widget()->minimumSizeHint() + bars).boundedTo(least_);
}

bool ScrolledPart::eventFilter(QObject* watched, QEvent* event) {
    if (watched == content_ && event->type() == QEvent::LayoutRequest) {
        widget()->updateGeometry();
        updateGeometry();
    }
    return QScrollArea::eventFilter(watched, event);
}

void resizeToScreen(QWidget& window) {
    const QSize frame(0, kWindowFrame);
    const QSize room = window.screen()->availableSize() - frame;
    window.ensurePolished();
    window.resize(window.sizeHint().expandedTo(window.minimumSize()).boundedTo(room));
}

}  // namespace lowtide::ui
