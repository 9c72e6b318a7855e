#pragma once

#include "plugin/base/json_fwd.hpp"
#include "ui/panels/chart_parts.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

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
