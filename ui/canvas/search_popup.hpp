#pragma once

#include "ui/canvas/pick_popup.hpp"
#include "ui/canvas/search_match.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

/// Finds a node type by typing.
class SearchPopup : public PickPopup {
    Q_OBJECT

public:
    /// `catalog` must outlive it.
    SearchPopup(const graph::Catalog& catalog, QWidget* parent);

    /// Opens near `at` (of the parent), within it. With a wire wanted only what takes it is
    /// offered.
    void openAt(QPoint at, const PortWanted& wanted);
    /// Comes first the next time.
    void remember(const std::string& type);

    [[nodiscard]] const std::vector<SearchHit>& hits() const { return hits_; }

Q_SIGNALS:
    /// `port` takes the wire; empty: none was wanted.
    void chosen(const std::string& type, const std::string& port);

protected:
    void fill(QStandardItemModel& rows, const QString& pattern) override;
    [[nodiscard]] QString detailOf(int row) const override;
    void take(int row) override;

private:
    const graph::Catalog& catalog_;
    PortWanted wanted_;
    std::vector<SearchHit> hits_;
    std::vector<std::string> recent_;
};

}  // namespace lowtide::ui
