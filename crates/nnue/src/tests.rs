mod files;
mod games;
mod golden;
