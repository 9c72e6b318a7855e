// The strip of pictures below the viewer.
#include "ui/panels/filmstrip.hpp"
#include "ui/studio/desk.hpp"

namespace lowtide::ui {

void Desk::buildFilmstrip() {
    strip_ = new Filmstrip(*gallery_, viewer_);
    viewer_->addBelow(strip_);
    gallery_->showAlsoIn(strip_);
    connect(viewer_, &Viewer::shown, strip_, [this] { strip_->follow(viewer_->path()); });
    connect(strip_, &Filmstrip::wanted, this, [this](const QString& path) {
        if (viewer_->isLive()) {
            viewer_->setFollowing(false);
        }
        viewer_->showFiles(gallery_->files(), path);
    });
    QAction& shown = parts_.actions.at("view.filmstrip");
    shown.setChecked(parts_.settings.preferences().showsFilmstrip);
    strip_->setVisible(shown.isChecked());
    connect(&shown, &QAction::toggled, this, [this](bool isShown) {
        strip_->setVisible(isShown);
        parts_.settings.change(
            [&](Preferences& preferences) { preferences.showsFilmstrip = isShown; });
    });
}

}  // namespace lowtide::ui
