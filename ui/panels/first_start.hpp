#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/units.hpp"
#include "ui/bridge/preset_store.hpp"
#include "ui/bridge/settings.hpp"

#include <QDialog>
#include <QString>

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace lowtide::ui {

class PresetCards;

/// The device that a user would choose among those that were found.
struct FoundDevice {
    QString id;  ///< "cuda:0", "cpu"; empty: none was found, or not yet
    QString sentence;
    Bytes capacity = 0;
};

/// Of MemoryNow::devices: the GPU with most memory, else the processor. Rehearsals are no device;
/// null: the module has not answered yet.
[[nodiscard]] FoundDevice foundDevice(const Json& devices);

/// Up to this capacity a device counts as a small one (design, section 7).
inline constexpr Bytes kLowMemoryCapacity = 8 * kGiB;

/// What a user sees who starts the studio for the first time: which device was found, whether to
/// work in the low-memory mode, and what to begin with. Three clicks lead to an image: a preset,
/// Start, Run.
/// `settings` and `store` must outlive it.
class FirstStart : public QDialog {
    Q_OBJECT

public:
    /// Result of the dialog: a language was chosen, and it shall be shown again in that.
    static constexpr int kLanguageChosen = 2;

    FirstStart(Settings& settings,
               const PresetStore& store,
               const FoundDevice& device,
               QWidget* parent = nullptr);

    /// The module's answer may come later than the dialog.
    void setDevice(const FoundDevice& device);

Q_SIGNALS:
    /// The user chose a preset; the settings are kept by then.
    void presetChosen(const QString& id);

private:
    [[nodiscard]] QHBoxLayout* makeButtons();
    [[nodiscard]] QComboBox* makeLanguages();
    void start(const QString& id);
    void keepSettings();
    [[nodiscard]] bool isSmall() const;

    Settings& settings_;
    FoundDevice device_;
    QLabel* found_ = nullptr;
    QCheckBox* lowMemory_ = nullptr;
    bool isModeChosen_ = false;  ///< by the user, so that no proposal changes it
    PresetCards* cards_ = nullptr;
    QPushButton* start_ = nullptr;
};

}  // namespace lowtide::ui
