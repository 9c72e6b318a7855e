#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "ui/panels/chart_parts.hpp"

#include <QWidget>

#include <string>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace lowtide::ui {

/// A component that lies on a device.
struct HeldComponent {
    std::string role;
    std::string device;
    Bytes bytes = 0;

    bool operator==(const HeldComponent&) const = default;
};

/// Owners of weights in Runner::memory, by device.
[[nodiscard]] std::vector<HeldComponent> heldComponents(const Json& ledger);

/// A chip for each component on a device, with what can be done about it: Offload frees the device
/// and keeps its files open in host memory, Unload closes them too.
class ComponentChips : public QWidget {
    Q_OBJECT

public:
    explicit ComponentChips(QWidget* parent = nullptr);

    void setComponents(const std::vector<HeldComponent>& components);
    /// Nothing can be released while a run lasts; `canUnload`: the module tells the two apart.
    void setPossible(bool isIdle, bool canUnload);

Q_SIGNALS:
    void offloadRequested(const std::string& role);
    void unloadRequested(const std::string& role);

private:
    void rebuild();
    [[nodiscard]] QWidget* makeChip(const HeldComponent& component);

    std::vector<HeldComponent> components_;
    bool isIdle_ = true;
    bool canUnload_ = false;
    QVBoxLayout* rows_;
    std::vector<QLabel*> labels_;  ///< one for each component
};

/// What one device holds now, by what it is for.
struct HeldNow {
    QString device;
    Bytes weights = 0;
    Bytes activations = 0;
    Bytes wires = 0;
    Bytes caches = 0;
    Bytes staging = 0;
    Bytes others = 0;    ///< of other programs; 0: none known
    Bytes capacity = 0;  ///< 0: unknown
    Bytes budget = 0;    ///< 0: without a bound

    [[nodiscard]] Bytes ours() const { return weights + activations + wires + caches + staging; }
};

/// Of Runner::memory and the list of Runner::devices (may be null). What others hold is what is
/// neither free nor ours; in host memory nobody can tell it from this program's own code.
[[nodiscard]] HeldNow heldNow(const Json& ledger, const Json& devices, const std::string& device);

/// One bar of a device, live.
class MemoryGauge : public Chart {
    Q_OBJECT

public:
    explicit MemoryGauge(const char* name, QWidget* parent = nullptr);
    void setHeld(const HeldNow& held);
    [[nodiscard]] QString spokenText() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] int heightNeeded() const override;
    [[nodiscard]] QString tipAt(QPointF point) const override;

private:
    struct Part {
        Bytes bytes;
        const char* colour;
        QString name;
    };

    [[nodiscard]] std::vector<Part> parts() const;
    [[nodiscard]] QString sumText() const;
    [[nodiscard]] std::vector<LegendEntry> legend() const;

    HeldNow held_;
};

}  // namespace lowtide::ui
