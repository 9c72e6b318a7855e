#pragma once

#include "ui/canvas/search_match.hpp"

#include <QFrame>
#include <QPoint>

#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QListView;
class QStandardItemModel;

namespace lowtide::ui {

/// Finds a node type by typing: arrows choose, Enter takes, Escape closes. Lies over the canvas.
class SearchPopup : public QFrame {
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
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void refresh();
    void moveCurrent(int steps);
    void takeCurrent();
    void showDetail();
    void placeWithin(QPoint at);

    const graph::Catalog& catalog_;
    PortWanted wanted_;
    std::vector<SearchHit> hits_;
    std::vector<std::string> recent_;
    QLineEdit* pattern_;
    QListView* list_;
    QStandardItemModel* model_;
    QLabel* detail_;
};

}  // namespace lowtide::ui
