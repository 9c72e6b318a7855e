#pragma once

#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/pick_popup.hpp"
#include "ui/canvas/wire_choices.hpp"

#include <optional>

namespace lowtide::ui {

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
    int current_ = -1;
};

}  // namespace lowtide::ui
