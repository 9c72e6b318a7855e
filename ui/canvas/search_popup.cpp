#include "ui/canvas/search_popup.hpp"

#include "ui/canvas/search_row.hpp"

#include <QStandardItemModel>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr size_t kRecentCount = 6;

}  // namespace

SearchPopup::SearchPopup(const graph::Catalog& catalog, QWidget* parent)
    : PickPopup(QStringLiteral("nodeSearch"), tr("Search nodes"), parent), catalog_(catalog) {}

void SearchPopup::openAt(QPoint at, const PortWanted& wanted) {
    wanted_ = wanted;
    PickPopup::openAt(at);
}

void SearchPopup::remember(const std::string& type) {
    std::erase(recent_, type);
    recent_.insert(recent_.begin(), type);
    recent_.resize(std::min(recent_.size(), kRecentCount));
}

void SearchPopup::fill(QStandardItemModel& rows, const QString& pattern) {
    hits_ = searchNodes(catalog_, pattern, wanted_, recent_);
    for (const SearchHit& hit : hits_) {
        rows.appendRow(SearchRow::itemFor(hit, wanted_));
    }
}

QString SearchPopup::detailOf(int row) const {
    if (row < 0) {
        return wanted_.type.empty() ? tr("No node has that in its name, category or help.")
                                    : tr("No such node accepts a wire of type %1.")
                                          .arg(QString::fromStdString(wanted_.type));
    }
    return QString::fromStdString(hits_.at(static_cast<size_t>(row)).desc->tooltip);
}

void SearchPopup::take(int row) {
    const SearchHit hit = hits_.at(static_cast<size_t>(row));
    remember(hit.desc->id);
    Q_EMIT chosen(hit.desc->id, hit.port);  // before closed(), which drops the wire that waits
}

}  // namespace lowtide::ui
