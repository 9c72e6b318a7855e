#pragma once

#include "plugin/graph/catalog.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/navigation.hpp"
#include "ui/canvas/search_match.hpp"
#include "ui/editors/picker.hpp"

#include <QPoint>
#include <QString>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QStandardItemModel;

namespace lowtide::ui {

/// A wire that could be drawn between a node and another one.
struct WireChoice {
    graph::PortRef from;
    graph::PortRef to;
    QString text;  ///< "Latent → Decode: Latent", or "Model ← Load model: Model"
    std::string type;
    bool isReplacing = false;  ///< the input has another wire
};

/// One port of the node that asks.
struct OwnPort {
    std::string port;
    bool isOutput = false;
};

/// Wires from the outputs of the node, then wires into its inputs; of each free inputs first, then
/// the nearest other node. All words of the pattern must be in the text. Wires that are there, or
/// that wireRefusal() refuses, are left out; so is everything beyond the first sixty. `own`: only
/// wires of that port of the node.
[[nodiscard]] std::vector<WireChoice> wireChoices(const graph::Document& document,
                                                  const graph::Catalog& catalog,
                                                  const NodeRects& rects,
                                                  const std::string& node,
                                                  const QString& pattern,
                                                  const std::optional<OwnPort>& own = {});

/// A list over the canvas that typing narrows, with a sentence about the current row below it:
/// Enter takes, Escape closes.
class PickPopup : public Picker {
    Q_OBJECT

public:
    /// `name`: its object name, the start of those of its parts.
    PickPopup(const QString& name, const QString& placeholder, QWidget* parent);

Q_SIGNALS:
    void closed();

protected:
    /// Opens near `at` (of the parent), within it.
    void openAt(QPoint at);

    /// The rows for the pattern, each made by searchRow().
    virtual void fill(QStandardItemModel& rows, const QString& pattern) = 0;
    /// The lines below the list; row -1: there is none, and why.
    [[nodiscard]] virtual QString detailOf(int row) const = 0;
    virtual void take(int row) = 0;

    bool eventFilter(QObject* watched, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void showDetail(int row);
    void moveWithin(QPoint at);

    QLabel* detail_;
};

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

/// Finds the other end of a wire of one node, or of one port of it, by typing.
class WirePopup : public PickPopup {
    Q_OBJECT

public:
    /// `scene` must outlive it.
    WirePopup(const GraphScene& scene, QWidget* parent);

    void openAt(QPoint at, const std::string& node, const std::optional<OwnPort>& own = {});

    /// The wire of the current row while the list is open.
    [[nodiscard]] std::optional<WireChoice> current() const;

Q_SIGNALS:
    void chosen(const lowtide::ui::WireChoice& wire);

protected:
    void fill(QStandardItemModel& rows, const QString& pattern) override;
    [[nodiscard]] QString detailOf(int row) const override;
    void take(int row) override;

private:
    const GraphScene& scene_;
    std::string node_;
    std::optional<OwnPort> own_;
    std::vector<WireChoice> choices_;
};

}  // namespace lowtide::ui
