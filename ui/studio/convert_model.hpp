#pragma once

#include "ui/panels/convert_dialog.hpp"
#include "ui/studio/workspace.hpp"

#include <QObject>
#include <QPointer>

#include <string>

namespace lowtide::ui {

/// Shows the dialog that writes a model again, smaller, and has the graph use what was written: in
/// one step, with weights that remain on the device as the file has them, since they would be as
/// large as before otherwise.
class ConvertModel : public QObject {
    Q_OBJECT

public:
    /// `workspace` must outlive it; `window` is the parent of the dialog.
    ConvertModel(Workspace& workspace, QWidget* window);
    ~ConvertModel() override;

    /// One at a time: what is at work remains in front.
    void open(const NamedModel& model);

Q_SIGNALS:
    void used(const std::string& node, const std::string& param);
    /// Why it is not used, a sentence.
    void refused(const QString& sentence);

private:
    void use(const NamedModel& source, const QString& file);

    Workspace& workspace_;
    QWidget* window_;
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
