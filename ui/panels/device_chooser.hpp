#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"

#include <QComboBox>

#include <optional>
#include <string>
#include <vector>

namespace lowtide::ui {

/// The device of the run: those of this machine, and cards of five sizes to rehearse on, which are
/// played in host memory. Apart from them, cards that need not be there, to plan for and not to run
/// on.
class DeviceChooser : public QComboBox {
    Q_OBJECT

public:
    explicit DeviceChooser(QWidget* parent = nullptr);

    /// List of Runner::devices.
    void setDevices(const Json& devices);
    /// "cards" of Runner::devices.
    void setCards(const Json& cards);
    /// The card that is planned for; empty: none, the device shows.
    void setCard(const std::string& name);
    /// As the graph has it: "cpu", "fake:8GiB"; empty: not stated. One that is not offered is
    /// added.
    void setDevice(const std::optional<std::string>& device);

Q_SIGNALS:
    /// Empty: the module's own choice, the CPU.
    void chosen(const std::optional<std::string>& device);
    /// A card to plan for; empty: none any more, before chosen().
    void cardChosen(const std::string& name);

private:
    struct Offered {
        std::string id;
        QString name;
        Bytes capacity = 0;

        bool operator==(const Offered&) const = default;
    };

    void fill();
    void add(const QString& label, const std::string& device);

    void take(int index);

    std::vector<Offered> offered_;
    std::vector<Offered> cards_;  ///< by name
    std::optional<std::string> device_;
    std::string card_;
};

}  // namespace lowtide::ui
