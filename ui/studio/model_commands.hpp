#pragma once

#include "ui/panels/convert_dialog.hpp"
#include "ui/studio/drop_target.hpp"
#include "ui/studio/main_window_widgets.hpp"

#include <QObject>
#include <QPointer>

#include <functional>
#include <string>

namespace lowtide::ui {

/// Has the graph use models of the user, and writes them again, smaller: what was written is used
/// in one step, with weights that remain on the device as the file has them, since they would be as
/// large as before otherwise.
class ModelCommands : public QObject {
    Q_OBJECT

public:
    /// `widgets` must outlive it.
    explicit ModelCommands(MainWindowWidgets& widgets);
    ~ModelCommands() override;

    /// Has the graph use the file. What it holds is read on another thread.
    void useFile(const QString& path, const DropSpot& spot);
    /// What would take the file; what it holds is read on another thread.
    void findTaker(const QString& path, std::function<void(FileTaker)> done);

private:
    /// Reads the file on another thread, unless it lies in a model folder, where `value` names it.
    void recognise(const QString& path,
                   std::function<void(const ModelFile& model, const QString& value)> done);
    [[nodiscard]] Arrival arrivalOf(ModelKind kind, const QString& value) const;
    void connectPanels();
    void reportNotes(const QString& problem);
    void use(ModelKind kind, const QString& value, const DropSpot& spot);
    void showUnusable(const ModelFile& model);
    void convert(const NamedModel& model);
    void useConverted(const NamedModel& source, const QString& file);

    MainWindowWidgets& widgets_;
    Workspace& workspace_;
    QPointer<ConvertDialog> dialog_;
};

/// A model that was written again, in the place of `source`, in all nodes that name that; where
/// none does, in the only one that takes it. A denoiser keeps its checkpoint as well.
struct ConvertedUse {
    std::vector<std::string> nodes;  ///< empty: nobody takes it
    std::string param;
    Edit edit{};
};

[[nodiscard]] ConvertedUse useOfConverted(const graph::Document& document,
                                          const graph::Catalog& catalog,
                                          const NamedModel& source,
                                          const NamedModel& written);

}  // namespace lowtide::ui
