#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

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

}  // namespace lowtide::ui
