// Two images in the viewer: how they are compared, and what the comparison reports.
#include "ui/bridge/background.hpp"
#include "ui/panels/image_compare.hpp"
#include "ui/panels/image_facts.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/playback.hpp"
#include "ui/panels/viewer.hpp"
#include "ui/theme/responsive_layout.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QActionGroup>
#include <QLabel>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include <tuple>
#include <utility>

namespace lowtide::ui {

void Viewer::compareFiles(const QString& left, const QString& right) {
    compare_->setChecked(false);
    files_ = {left, right};
    load(right, [this, left] {
        compare_->setChecked(true);  // keeps the one that is shown
        isPairComing_ = true;
        load(left, [this] { isPairComing_ = false; });
    });
}

void Viewer::makeWays() {
    apart_ = named("apart", new QLabel(view_));
    apart_->setAutoFillBackground(true);
    apart_->setMargin(Theme::space(1));
    apart_->hide();
    auto* over = new QVBoxLayout(view_);
    over->addStretch(1);
    over->addWidget(apart_, 0, Qt::AlignLeft);
    ways_ = makeIconButton("chevron-down", tr("How two images are compared"), "ways", this);
    auto* menu = new QMenu(ways_);
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& text, const QString& key, CompareWay way) {
        auto* action = menu->addAction(text + QLatin1Char('\t') + key);
        action->setCheckable(true);
        action->setChecked(way == view_->way());
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, way] { view_->setWay(way); });
        connect(view_, &ImageView::wayChanged, action, [action, way](CompareWay chosen) {
            action->setChecked(way == chosen);
        });
    };
    add(tr("&Wipe"), tr("W"), CompareWay::Wipe);
    add(tr("&Side by side"), tr("S"), CompareWay::SideBySide);
    add(tr("&Difference"), tr("D"), CompareWay::Difference);
    ways_->setMenu(menu);
    ways_->setPopupMode(QToolButton::InstantPopup);
    connect(view_, &ImageView::wayChanged, this, &Viewer::showDifference);
}

/// While the difference of two is shown, a line over it states how large it is; that of frames
/// which follow each other may be late.
void Viewer::showDifference() {
    const auto isShown = [this] {
        return view_->isComparing() && view_->way() == CompareWay::Difference;
    };
    if (!isShown()) {
        apart_->clear();
        apart_->hide();
        return;
    }
    if (std::exchange(isMeasuring_, true)) {
        return;  // what is shown then is measured after that
    }
    later(
        this,
        [left = view_->image().front(), right = view_->compared().front()] {
            return std::tuple(left.cacheKey(), right.cacheKey(), differenceOf(left, right));
        },
        [this, isShown](const std::tuple<qint64, qint64, ImageDifference>& measured) {
            isMeasuring_ = false;
            if (!isShown()) {
                return;
            }
            const auto& [left, right, difference] = measured;
            const bool isOfThese = view_->image().front().cacheKey() == left &&
                                   view_->compared().front().cacheKey() == right;
            if (isOfThese || !apart_->isHidden()) {
                apart_->setText(differenceText(difference));
                apart_->show();
            }
            if (!isOfThese) {
                showDifference();
            }
        });
}

void Viewer::compare(bool isOn) {
    emitCompare();
    if (!isOn) {
        isPairComing_ = false;
        view_->setCompared({});
        kept_ = {};
        frames_->drop();
        showFrameBar();
        ways_->hide();
        showCaptions();
        showDifference();
    }
}

void Viewer::emitCompare() {
    const bool isOn = compare_->isChecked();
    leave_->setEnabled(isOn || isAlone_);
    compare_->setToolTip(isOn ? tr("End the comparison (Esc)")
                              : tr("Keep this image and wipe between it and the next"));
}

/// An image that waits to be compared goes on waiting.
void Viewer::endComparison() {
    if (view_->isComparing() || isPairComing_) {
        compare_->setChecked(false);
    }
}

void Viewer::showCaptions() {
    view_->setCaptions(
        view_->isComparing()
            ? captionsOf({.image = shown_, .name = title_->text()}, kept_, facts_->catalog())
            : CompareCaptions());
}

}  // namespace lowtide::ui
