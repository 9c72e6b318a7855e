#include "ui/canvas/breadcrumbs.hpp"

#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace lowtide::ui {

namespace {

constexpr int kMostCrumbWidth = 160;

}  // namespace

Breadcrumbs::Breadcrumbs(QWidget* canvas) : QWidget(canvas) {
    setObjectName(QStringLiteral("breadcrumbs"));
    setAccessibleName(tr("Open groups"));
    setAutoFillBackground(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Theme::space(1), 0, Theme::space(1), 0);
    row->setSpacing(0);
    move(Theme::space(2), Theme::space(2));
    hide();
}

void Breadcrumbs::showPath(const std::vector<std::pair<std::string, QString>>& groups) {
    if (groups == shown_) {
        return;
    }
    shown_ = groups;
    while (QLayoutItem* item = layout()->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();  // it may be what was clicked
        delete item;
    }
    if (!groups.empty()) {
        addCrumb({}, tr("Graph"), false);
    }
    for (const auto& [group, title] : groups) {
        auto* between = new QLabel(QStringLiteral("›"), this);
        layout()->addWidget(between);
        between->show();
        addCrumb(group, title, group == groups.back().first);
    }
    setVisible(!groups.empty());
    adjustSize();
    raise();
}

void Breadcrumbs::addCrumb(const std::string& group, const QString& title, bool isLast) {
    auto* crumb = new QToolButton(this);
    crumb->setObjectName(QStringLiteral("crumb"));
    crumb->setAutoRaise(true);
    crumb->setText(crumb->fontMetrics().elidedText(title, Qt::ElideRight, kMostCrumbWidth));
    crumb->setAccessibleName(title);
    crumb->setToolTip(isLast ? tr("Show all of this group") : tr("Fold what is open in here"));
    connect(crumb, &QToolButton::clicked, this, [this, group] { Q_EMIT chosen(group); });
    layout()->addWidget(crumb);
    crumb->show();
}

}  // namespace lowtide::ui
