#include "ui/canvas/wire_popup.hpp"

#include "ui/canvas/search_row.hpp"

#include <QStandardItemModel>

namespace lowtide::ui {

WirePopup::WirePopup(const GraphScene& scene, QWidget* parent)
    : PickPopup(QStringLiteral("wireSearch"), tr("Search the other end"), parent), scene_(scene) {
    connect(this, &PickPopup::currentChanged, this, [this](int row) { current_ = row; });
}

void WirePopup::openAt(QPoint at, const std::string& node, const std::optional<OwnPort>& own) {
    node_ = node;
    own_ = own;
    PickPopup::openAt(at);
}

std::optional<WireChoice> WirePopup::current() const {
    if (!isVisible() || current_ < 0 || current_ >= static_cast<int>(choices_.size())) {
        return std::nullopt;
    }
    return choices_[static_cast<size_t>(current_)];
}

void WirePopup::fill(QStandardItemModel& rows, const QString& pattern) {
    const GraphModel& model = scene_.model();
    choices_ =
        wireChoices(model.document(), model.catalog(), scene_.nodeRects(), node_, pattern, own_);
    for (const WireChoice& choice : choices_) {
        rows.appendRow(SearchRow::item(
            choice.text, choice.isReplacing ? tr("replaces a wire") : QString(), choice.type));
    }
}

QString WirePopup::detailOf(int row) const {
    return row < 0 ? tr("No port of another node fits one of this node, or has that in its name.")
                   : tr("Enter connects; C again draws the next wire.");
}

void WirePopup::take(int row) {
    Q_EMIT chosen(choices_.at(static_cast<size_t>(row)));
}

}  // namespace lowtide::ui
