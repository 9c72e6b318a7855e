#pragma once

#include "plugin/base/json.hpp"

#include <QComboBox>

#include <optional>
#include <string>

namespace lowtide::ui {

/// The device of the run: those of this machine, and cards of five sizes to rehearse on, which are
/// played in host memory.
class DeviceChooser : public QComboBox {
    Q_OBJECT

public:
    explicit DeviceChooser(QWidget* parent = nullptr);

    /// List of Runner::devices.
    void setDevices(const Json& devices);
    /// As the graph has it: "cpu", "fake:8GiB"; empty: not stated. One that is not offered is
    /// added.
    void setDevice(const std::optional<std::string>& device);

Q_SIGNALS:
    /// Empty: the module's own choice, the CPU.
    void chosen(const std::optional<std::string>& device);

private:
    void fill();
    void add(const QString& label, const std::string& device);

    Json devices_ = Json::array();
    std::optional<std::string> device_;
};

}  // namespace lowtide::ui
